import type { DirectoryDetailBody } from '../../../src/directory-sync/directories/directories.dto.js';
import type { Json } from '../../api/client.js';

/** A directory with its counts. */
export type DirectoryDetail = Json<DirectoryDetailBody>;

/** What each part of the page is given. */
export interface TabProps {
  directory: DirectoryDetail;
}
