import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Frees what nothing refers to, for tests that measure what stays in use. */
export const collectGarbage = runInNewContext('gc') as () => void;
