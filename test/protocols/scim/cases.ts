import { readdirSync, readFileSync } from 'node:fs';

/** The cases of a JSON file beside the spec; each has a `note` that names it. */
export function casesOf<T>(spec: string, file: string): (T & { note: string })[] {
  return JSON.parse(readFileSync(new URL(file, spec), 'utf8')) as (T & { note: string })[];
}

/** All JSON files of a folder beside the spec, by name. */
export function filesOf<T>(spec: string, folder: string): { file: string; content: T }[] {
  const directory = new URL(`${folder}/`, spec);
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({ file, content: JSON.parse(readFileSync(new URL(file, directory), 'utf8')) as T }));
}

/** Freezes a JSON value to its leaves, so that a write to it fails the test. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) frozen(part as unknown);
    Object.freeze(value);
  }
  return value;
}
