import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface RunningSamlIdp {
  entity_id: string;
  sso_url: string;
  slo_url: string;
  certificate: string;
  stop: () => Promise<void>;
}

/** Starts `saml-idp.mjs` as a process of its own; resolves when it listens. */
export async function startSamlIdp(config: object): Promise<RunningSamlIdp> {
  const program = path.join(process.cwd(), 'test/support/sign-in/saml-idp.mjs');
  const child = spawn(process.execPath, ['--no-deprecation', program, JSON.stringify(config)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const ended = once(child, 'exit');
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const first = await Promise.race([line, ended.then(() => null)]);
  if (first === null) throw new Error('the SAML IdP did not start');
  return {
    ...(JSON.parse(first[0]) as Omit<RunningSamlIdp, 'stop'>),
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
