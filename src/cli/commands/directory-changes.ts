import { CliError, EXIT } from '../client/cli.errors.js';
import type { Json } from '../client/client.js';
import { given, type Context } from '../command/command.js';

/** The fields of the platform that an option names the SCIM attribute of. */
export const MAPPED = ['external_id', 'email', 'first_name', 'last_name'] as const;

/** Returns the options of `directory set` as fields of the API. */
export function changesOf(context: Context): Json {
  const cleared = (value: string) => (value === 'none' ? null : value);
  const { default_role, takes_over, allow_from, custom_attributes, ...plain } = given(
    context,
    'allow_from',
    'custom_attributes',
    'name',
    'profile',
    'on_match',
    'default_role',
    'takes_over',
  );
  const switches = Object.entries(given(context, 'replace_creates_missing', 'may_grant_console'));
  const mapped = MAPPED.map((field) => [field, given(context, `map_${field}`)[`map_${field}`]] as const);
  const map = mapped
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => [field, cleared(value!)] as const);
  return {
    ...plain,
    ...(default_role === undefined ? {} : { default_role: cleared(default_role) }),
    ...(takes_over === undefined ? {} : { takes_over: cleared(takes_over) }),
    ...Object.fromEntries(switches.map(([name, value]) => [name, value === 'on'])),
    ...(map.length === 0 ? {} : { attribute_map: Object.fromEntries(map) }),
    ...(allow_from === undefined ? {} : { allow_from: listed(allow_from) }),
    ...(custom_attributes === undefined ? {} : { custom_attributes: listed(custom_attributes).map(declared) }),
  };
}

/** The parts of a text with commas between; `none` has no parts. */
function listed(text: string): string[] {
  return text === 'none' ? [] : text.split(',').map((part) => part.trim());
}

/** An attribute as `name:type`, or `name:type[]` for several values. */
function declared(text: string): Json {
  const [name = '', kind = ''] = text.split(':').map((part) => part.trim());
  if (kind === '')
    throw new CliError(`--custom-attributes: "${text}" needs a type, such as ${name}:string.`, EXIT.usage);
  const isList = kind.endsWith('[]');
  return { name, type: isList ? kind.slice(0, -2) : kind, multi_valued: isList };
}
