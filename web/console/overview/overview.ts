import type { Json } from '../../api/client.js';
import type { OverviewBody } from '../../../src/overview/now/overview.dto.js';

/** The answer of `GET /overview`. */
export type Overview = Json<OverviewBody>;
