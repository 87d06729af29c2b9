// CPU time of processes (Linux). It says what a request costs when the rate is ruled by something else.
import { readdirSync, readFileSync } from 'node:fs';

/** A tick of /proc is a hundredth of a second on every Linux that node runs on. */
const TICK_MS = 10;

function read(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      parent: Number(fields[1]),
      own: Number(fields[11]) + Number(fields[12]),
      ended: Number(fields[13]) + Number(fields[14]),
    };
  } catch {
    return null; // The process has ended since the folder was listed.
  }
}

/** Milliseconds of CPU that the process has used. */
export const cpuOf = (pid) => (read(pid)?.own ?? 0) * TICK_MS;

/** Milliseconds of CPU of a PostgreSQL server: its postmaster, all backends, and those that have ended. */
export function cpuOfServer(postmaster) {
  const self = read(postmaster);
  if (self === null) return 0;
  let ticks = self.own + self.ended;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const process = read(name);
    if (process?.parent === postmaster) ticks += process.own;
  }
  return ticks * TICK_MS;
}
