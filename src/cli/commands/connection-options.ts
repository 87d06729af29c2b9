import { readFileSync } from 'node:fs';
import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';
import { given, nothingToChange, numbers, optionOf, type CommandOption, type Context } from '../command/command.js';
import { CHANGEABLE, SETTINGS, type ConnectionSetting } from './connection-settings.js';

/** The options of `create-oidc` and `create-saml`. */
export function createOptions(type: keyof typeof SETTINGS): CommandOption[] {
  const settings = SETTINGS[type].map(({ name, of, kind, description, unless, required }) => ({
    name,
    ...(of === undefined ? {} : { of }),
    description: unless === undefined ? description : `${description}; ${unless} unless set`,
    // An option that is on by default can only be switched off.
    ...(kind === 'flag' && unless !== 'on' ? { flag: true } : {}),
    ...(required === true ? { required } : {}),
  }));
  return [
    ...settings,
    { name: 'disabled', description: 'no user signs in through it until it is enabled', flag: true },
  ];
}

/** The options of `set`: the same, each as it can be changed. */
export function changeOptions(): CommandOption[] {
  return CHANGEABLE.map(({ name, of, kind, description, clearable }) => ({
    name,
    ...(of === undefined ? {} : { of }),
    description: [description, kind === 'flag' ? 'on or off' : null, clearable ? 'none: not any more' : null]
      .filter(Boolean)
      .join('; '),
  }));
}

/** The fields of a new connection. */
export function newFields(context: Context, type: keyof typeof SETTINGS): Json {
  const enabled = context.options['disabled'] === true ? { enabled: false } : {};
  return { ...fieldsOf(context, SETTINGS[type], false), ...enabled };
}

/** The fields that change; refused where none was given. */
export function changedFields(context: Context): Json {
  const fields = fieldsOf(context, CHANGEABLE, true);
  if (Object.keys(fields).length > 0) return fields;
  throw nothingToChange('connection set', '--name');
}

function fieldsOf(context: Context, settings: readonly ConnectionSetting[], clearing: boolean): Json {
  const fields: Json = {};
  for (const setting of settings) {
    const { name, of = name, clearable = false } = setting;
    if (context.options[name] === true) fields[of] = true;
    const { [name]: text } = given(context, name);
    if (text === undefined) continue;
    fields[of] = clearing && clearable && text === 'none' ? NOTHING[setting.kind] : valueOf(context, setting, text);
  }
  return fields;
}

/** What takes a setting away. */
const NOTHING: Partial<Record<ConnectionSetting['kind'], unknown>> = {
  text: null,
  number: null,
  list: [],
  pairs: {},
  certificates: [],
};

function valueOf(context: Context, { name, kind }: ConnectionSetting, text: string): unknown {
  switch (kind) {
    case 'text':
      return text;
    case 'flag':
      if (text === 'on' || text === 'off') return text === 'on';
      return usage(`${optionOf(name)} is on or off.`);
    case 'list':
      return text.split(',').map((part) => part.trim());
    case 'number':
      return numbers(context, name)[name];
    case 'pairs':
      return pairsIn(name, text);
    case 'secret':
      // Arguments can be read by everybody on the machine; a secret need not be one.
      return text === '-' ? readFileSync(0, 'utf8').trim() : text;
    case 'file':
      return contentOf(text);
    case 'certificates':
      return certificatesIn(text);
  }
}

/**
 * `a=b,c=d` as an object, or the object itself as JSON where names have commas. A claim's field stands before the first
 * `=`, and nothing after it takes it away; a role stands after the last one, since values can be such as CN=Admins.
 */
function pairsIn(name: string, text: string): Json {
  if (text.trimStart().startsWith('{')) {
    try {
      return JSON.parse(text) as Json;
    } catch {
      return usage(`${optionOf(name)} is no JSON.`);
    }
  }
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const at = name === 'claim_map' ? pair.indexOf('=') : pair.lastIndexOf('=');
      if (at <= 0) return usage(`${optionOf(name)} is written as a=b,c=d, or as JSON.`);
      const value = pair.slice(at + 1).trim();
      return [pair.slice(0, at).trim(), name === 'claim_map' && value === '' ? null : value];
    }),
  );
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return usage(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
}

function certificatesIn(file: string): string[] {
  const found = contentOf(file).match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  return found ?? usage(`${file} holds no certificate in PEM form.`);
}

function usage(message: string): never {
  throw new CliError(message, EXIT.usage);
}
