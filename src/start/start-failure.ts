import { ConfigError } from '../base/config/config.js';
import { PlainFailure } from '../base/errors/domain-error.js';

interface SystemError extends Error {
  code?: string;
  syscall?: string;
  port?: number;
  address?: string;
  path?: string;
  /** The setting whose address the error is about. */
  setting?: string;
}

/** SQLSTATEs and system codes with which a database does not let us in. */
const DATABASE: Record<string, string> = {
  ECONNREFUSED: 'nothing answers at the host and port of DATABASE_URL',
  ENOTFOUND: 'the host of DATABASE_URL is not known',
  EAI_AGAIN: 'the host of DATABASE_URL cannot be looked up just now',
  ECONNRESET: 'the host of DATABASE_URL ends each connection',
  ETIMEDOUT: 'the host of DATABASE_URL does not answer',
  '28P01': 'the database refuses the user or password of DATABASE_URL',
  '28000': 'the database does not let the user of DATABASE_URL in',
  '3D000': 'the database that DATABASE_URL names does not exist',
  '42501': 'the user of DATABASE_URL may not create tables in it',
  '53300': 'all connections of the database of DATABASE_URL are taken',
  '57P01': 'the database of DATABASE_URL is shutting down',
  '57P03': 'the database of DATABASE_URL is starting up or shutting down',
};

/** Codes with which the system refuses a folder or a file below DATA_DIR. */
const FILES = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EISDIR', 'ENOENT', 'ELOOP', 'ENAMETOOLONG']);

/** Why the database does not let the service in yet, as a sentence. */
export function databaseTrouble(error: unknown): string {
  return `Waiting for the database: ${failureReason(error)}`;
}

/** Why the start failed, in words for the operator. An unexpected error keeps its stack. */
export function startFailure(error: unknown): string {
  return error instanceof ConfigError ? error.message : `talent-bridge could not start: ${failureReason(error)}`;
}

/** Why a part of a start failed, as a sentence; the stack of an unexpected error. */
export function failureReason(error: unknown): string {
  const { code = '', syscall, port, path, setting, message, stack } = (error ?? {}) as Partial<SystemError>;
  if (code === 'EADDRINUSE') return `port ${port} is taken by another program; set PORT to a free one.`;
  if (code === 'EACCES' && syscall === 'listen') {
    return `port ${port} is not for ordinary users; set PORT to one above 1023.`;
  }
  const database = DATABASE[code];
  if (database !== undefined) return `${database.replace('DATABASE_URL', setting ?? 'DATABASE_URL')} (${code}).`;
  if (error instanceof PlainFailure) return error.message;
  // Of these calls a start makes folders and files in DATA_DIR alone.
  if (FILES.has(code) && path !== undefined && (syscall === 'mkdir' || syscall === 'open')) {
    return `${path} cannot be made (${code}); set DATA_DIR to a folder that the service may write to.`;
  }
  return stack ?? message ?? String(error);
}
