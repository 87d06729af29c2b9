/** Variables of the operating system that a program needs to run; none of them is a setting of ours. */
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
  // Windows: without these no program finds its libraries and temporary files.
  'SystemRoot',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
] as const;

/**
 * The environment of a child process: a fixed list of variables, and what the child is told by name. Everybody who can
 * read `/proc/<pid>/environ` reads it, so keys, tokens and the service's own database address are never in it.
 *
 * @param told what the child needs to know
 */
export function childEnvironment(told: Readonly<Record<string, string>> = {}): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...told };
}
