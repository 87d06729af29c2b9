import { isIP } from 'node:net';
import { isBase64, ValidateBy, type ValidationOptions } from 'class-validator';
import ipaddr from 'ipaddr.js';
import { urlOf } from '../url.js';

// Each rule checks the text of a variable; an empty value counts as absent. The operator reads the message beside the
// name of the variable, so the message states the rule and never repeats the value.

export function Rule(name: string, test: (text: string) => boolean, message: string): PropertyDecorator {
  const options: ValidationOptions = { message };
  return ValidateBy(
    {
      name,
      validator: { validate: (text: unknown) => text === undefined || (typeof text === 'string' && test(text)) },
    },
    options,
  );
}

export function OneOf(...values: string[]): PropertyDecorator {
  return Rule('oneOf', (text) => values.includes(text), `must be one of: ${values.join(', ')}`);
}

export function WholeNumber(min: number, max: number): PropertyDecorator {
  return Rule(
    'wholeNumber',
    (text) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max,
    `must be a whole number from ${min} to ${max}`,
  );
}

export function HttpAddress(): PropertyDecorator {
  return Rule('httpAddress', isHttpAddress, 'must be an http or https address without user, query or fragment');
}

export function Duration(): PropertyDecorator {
  return Rule(
    'duration',
    (text) => /^[1-9]\d{0,5}[smhd]$/.test(text),
    'must be a duration such as 90s, 60m, 12h or 7d',
  );
}

export function Size(): PropertyDecorator {
  return Rule(
    'size',
    (text) => text === 'off' || /^[1-9]\d{0,5}(MiB|GiB|TiB)$/.test(text),
    'must be a number of bytes such as 512MiB, 20GiB or 1TiB, or off',
  );
}

export function KeyList(): PropertyDecorator {
  return Rule('keys', isKeyList, `must be ${KEY_LIST}`);
}

export const KEY_LIST =
  '32 bytes in base64, or several keys with commas between, each with an id (id:base64) or without, none twice';

function isHttpAddress(text: string): boolean {
  const url = urlOf(text);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && !/[?#]/.test(text)
  );
}

function isAddressList(text: string): boolean {
  return text.split(',').every((part) => ipaddr.isValid(part.trim()) || ipaddr.isValidCIDR(part.trim()));
}

/** Express does not start with a network of all addresses. */
function isProxyList(text: string): boolean {
  return isAddressList(text) && text.split(',').every((part) => !/\/0+$/.test(part.trim()));
}

/** Accepts `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1` and `[2001:db8::1]:53`, with commas between. */
function isServerList(text: string): boolean {
  return text.split(',').every((part) => {
    const [, six, four, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(part.trim()) ?? [];
    if (six === undefined && four === undefined) return isIP(part.trim()) === 6;
    const known = six === undefined ? isIP(four!) === 4 : isIP(six) === 6;
    return known && (port === undefined || (Number(port) > 0 && Number(port) <= 65_535));
  });
}

/** Accepts keys of 32 bytes in base64, with or without an id. Ids, and keys without an id, are unique. */
function isKeyList(text: string): boolean {
  const parts = text.split(',').map((part) => part.trim());
  const keys = parts.map((part) => part.slice(part.indexOf(':') + 1));
  const names = parts.map((part, i) => (part.includes(':') ? part.slice(0, part.indexOf(':')) : keys[i]!));
  return (
    parts.every((part, i) => !part.includes(':') || /^[a-z0-9_-]{1,32}$/.test(names[i]!)) &&
    new Set(names).size === names.length &&
    keys.every((key) => isBase64(key) && Buffer.from(key, 'base64').length === 32)
  );
}

/** Accepts durations of at most six digits each, or `none`. */
function isPauseList(text: string): boolean {
  if (text === 'none') return true;
  const parts = text.split(',').map((part) => part.trim());
  return parts.length <= 20 && parts.every((part) => /^[1-9]\d{0,5}[smhd]$/.test(part));
}

export const isListOf = {
  addresses: isAddressList,
  proxies: isProxyList,
  names: (text: string) => text.split(',').every((part) => /^[A-Z_]{1,60}$/.test(part.trim())),
  pauses: isPauseList,
  servers: isServerList,
  clients: isClientList,
  simulators: isSimulatorList,
} as const;

function isClientList(text: string): boolean {
  const parts = text.split(',').map((part) => part.trim().split(':'));
  const providers = parts.map(([provider]) => provider);
  return new Set(providers).size === parts.length && parts.every((part) => part.length === 3 && part.every(isVisible));
}

function isSimulatorList(text: string): boolean {
  return text.split(',').every((part) => {
    const [provider = '', address = ''] = part.trim().split('=', 2);
    return /^[a-z_]{1,40}$/.test(provider) && isHttpAddress(address) && !address.endsWith('/');
  });
}

function isVisible(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
