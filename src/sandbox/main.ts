import { PORT_TAKEN } from './sandbox-process.js';
import { SandboxPlatform } from './sandbox-platform.js';

// The sandbox platform as a process of its own: what it does must not slow down the service beside it.
// It ends with the process that started it, of which it holds the other end of a pipe.
const sandbox = new SandboxPlatform({
  databaseUrl: process.env['SANDBOX_DATABASE_URL']!,
  port: Number(process.env['SANDBOX_PORT']),
});
process.stdin.resume();
process.stdin.on('end', () => void sandbox.stop().then(() => process.exit(0)));
// A signal to the whole process group is for the service: it sends what is on its way, and then closes the pipe.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.stdout.write(`${await listening()}\n`);

/** The port of an earlier sandbox, killed with its service, may take a moment to become free. */
async function listening(): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sandbox.start();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      if (attempt === 30) process.exit(PORT_TAKEN);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
