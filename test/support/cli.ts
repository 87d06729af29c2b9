import { runCli } from '../../src/cli/program.js';
import type { TestApp } from './app.js';

/** What a command came to. */
export interface Ran {
  code: number;
  out: string;
  err: string;
  // The shape of an answer is what each test is about.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- read field by field, as a program would
  json: any;
}

/** Returns the command line of an API key, as if it were typed into a terminal of this width. */
export function commandLine(service: TestApp, apiKey: string, width = 160): (...args: string[]) => Promise<Ran> {
  const env = {
    DATA_DIR: service.dataDir,
    TALENT_BRIDGE_URL: service.url,
    TALENT_BRIDGE_API_KEY: apiKey,
    OPERATOR_TOKEN: service.operatorToken,
  };
  return async (...args) => {
    let out = '';
    let err = '';
    const terminal = { out: (text: string) => (out += text), err: (text: string) => (err += text), width };
    const code = await runCli(args, env, terminal);
    return { code, out, err, json: args.includes('--json') && out !== '' ? (JSON.parse(out) as unknown) : undefined };
  };
}
