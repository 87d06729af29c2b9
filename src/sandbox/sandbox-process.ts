import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../base/config/environment.js';
import { PlainFailure } from '../base/errors/domain-error.js';

/** The schema that the sandbox keeps its data in. */
export const SANDBOX_SCHEMA = 'sandbox_platform';

/** The exit code with which it says that its port is taken. */
export const PORT_TAKEN = 98;

/** The sandbox platform running beside the service, as its child. */
export class SandboxProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /**
   * Starts it; resolves when it listens. Throws if it ends before that.
   *
   * @param databaseUrl the address of the sandbox's own role
   */
  static async start(databaseUrl: string, port: number): Promise<SandboxProcess> {
    const child = spawn(process.execPath, [fileURLToPath(new URL('./main.js', import.meta.url))], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: childEnvironment({ SANDBOX_DATABASE_URL: databaseUrl, SANDBOX_PORT: String(port) }),
    });
    const ended = once(child, 'exit').then(([code]) => {
      throw new PlainFailure(
        code === PORT_TAKEN
          ? `port ${port} is taken by another program; set SANDBOX_PORT to a free one, or SANDBOX=off.`
          : `the sandbox platform ended at once (exit code ${String(code)}); SANDBOX=off does without it.`,
      );
    });
    const [url] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [string];
    ended.catch(() => undefined); // from here on its end is our own doing, or its port just goes silent
    return new SandboxProcess(child, url);
  }

  async stop(): Promise<void> {
    // A signal to the whole process group may have ended it before: then there is a signal and no exit code.
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.stdin!.end();
    await ended;
  }
}
