/** Variables of the operating system that a program needs; none is a setting of this service. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'TZ',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TMPDIR',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  // On Windows programs need these to find libraries and temporary files.
  'SystemRoot',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
] as const;

/**
 * Returns the environment of a child process: a fixed list of variables, and named values. Every user who can read
 * `/proc/<pid>/environ` sees it, so it never contains keys, tokens or the database address of the service.
 *
 * @param told values for the child
 */
export function childEnvironment(told: Readonly<Record<string, string>> = {}): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...told };
}
