import type { WritingDirectory } from './write/write-context.js';

/**
 * Finds the directory that manages somebody, for writes that come through another door. The directories live on the
 * floor above; this is the word that the people need of them.
 */
export abstract class WritingDirectories {
  /** Throws `NotFound` for a directory that is gone. */
  abstract get(tenantId: string, directoryId: string): Promise<WritingDirectory>;
}
