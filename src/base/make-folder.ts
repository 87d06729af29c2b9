import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a folder and every missing one above it, level by level. The recursive `mkdir` of Node.js never ends below a parent
 * that exists and answers ENOENT, such as `/proc`.
 *
 * @returns the folders that were created, the outermost first
 */
export function makeFolder(folder: string, mode = 0o777): string[] {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !existsSync(at); at = path.dirname(at)) missing.unshift(at);
  for (const each of missing) {
    try {
      mkdirSync(each, { mode });
    } catch (error) {
      const isMade = (error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(each).isDirectory();
      if (!isMade) throw error; // Another process was quicker.
    }
  }
  return missing;
}
