import { ConfigError } from '../base/config/config.js';
import { PlainFailure } from '../base/errors/plain-failure.js';

interface SystemError extends Error {
  code?: string;
  syscall?: string;
  port?: number;
  address?: string;
}

/** SQLSTATEs and system codes with which a database does not let us in. */
const DATABASE: Record<string, string> = {
  ECONNREFUSED: 'nothing answers at the host and port of DATABASE_URL',
  ENOTFOUND: 'the host of DATABASE_URL is not known',
  EAI_AGAIN: 'the host of DATABASE_URL cannot be looked up just now',
  ETIMEDOUT: 'the host of DATABASE_URL does not answer',
  '28P01': 'the database refuses the user or password of DATABASE_URL',
  '28000': 'the database does not let the user of DATABASE_URL in',
  '3D000': 'the database that DATABASE_URL names does not exist',
  '42501': 'the user of DATABASE_URL may not create tables in it',
  '57P03': 'the database of DATABASE_URL is starting up or shutting down',
};

/** Why the start failed, in words for the operator. An unexpected error keeps its stack. */
export function startFailure(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const { code = '', syscall, port, message = String(error), stack } = (error ?? {}) as Partial<SystemError>;
  const because = (text: string): string => `talent-bridge could not start: ${text}`;
  if (code === 'EADDRINUSE') return because(`port ${port} is taken by another program; set PORT to a free one.`);
  if (code === 'EACCES' && syscall === 'listen') {
    return because(`port ${port} is not for ordinary users; set PORT to one above 1023.`);
  }
  const database = DATABASE[code];
  if (database !== undefined) return because(`${database} (${code}).`);
  if (error instanceof PlainFailure) return because(message);
  return because(stack ?? message);
}
