import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A field of a query or a body. The field of an object has the name of both: `takes.stages`. */
export interface ApiField {
  name: string;
  type: 'text' | 'boolean' | 'number' | 'list' | 'json';
  about: string;
  choices?: readonly string[];
  /** The value can be null. */
  nullable?: true;
  required?: true;
}

/** An operation of the API, as far as the command line needs it. */
export interface ApiOperation {
  /** Method and address below `/api/v1`: `GET /roles/{name}`. */
  call: string;
  about: string;
  operator?: true;
  list?: true;
  task?: true;
  params: readonly { name: string; about: string }[];
  query: readonly ApiField[];
  /** null: the operation takes no body. */
  body: readonly ApiField[] | null;
}

/**
 * The operations of the API: the description of the service, as `npm run docs:reference` notes it beside this file. The
 * command line is a client: it starts without the code of the service.
 */
export const OPERATIONS = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'operations.json'), 'utf8'),
) as readonly ApiOperation[];
