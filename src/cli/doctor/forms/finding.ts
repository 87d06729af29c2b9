/** What to do about each kind of finding. The codes are stable: scripts can branch on them. */
export const NEXT_STEPS = {
  no_answer: 'Look whether the service is reached from here and answers within 15 seconds, then run this again.',
  redirected: 'Use the address that the redirect names. A credential is never sent after a redirect.',
  answer_too_large: 'Look at what the address answers: an answer to one of these requests has at most 8 MiB.',
  not_scim: 'Give the SCIM address, which for talent-bridge ends in /scim/v2.',
  https_missing: 'Serve the address by https: a credential can be read on the way, and IdPs refuse plain http.',
  credential_refused: 'Make a new credential of the directory, and give it by standard input.',
  wrong_credential_accepted: 'Refuse unknown credentials with 401 on every route.',
  long_lived_token:
    'Make a client of the directory (OAuth 2.0 client credentials or federation), and give it by standard input.',
  token_refused: 'Compare client id, secret or key, and token address with what the directory shows.',
  token_form: 'Answer token requests as RFC 6749 §5.1 has it: access_token, token_type, expires_in, no-store.',
  token_life: 'Let access tokens live 60 to 360 minutes (expires_in 3600 to 21600).',
  status: 'Answer with the status that RFC 7644 names for this request.',
  media_type: 'Answer with the media type application/scim+json (RFC 7644 §3.1).',
  not_json: 'Answer with a JSON document.',
  error_form: 'Answer errors as RFC 7644 §3.12 has them: schemas, status as text, scimType, detail.',
  list_form: 'Answer lists as RFC 7644 §3.4.2 has them: numbers as integers, itemsPerPage as long as Resources.',
  resource_form: 'Answer resources as RFC 7643 §3 has them: id, schemas, meta, booleans as booleans.',
  value_differs: 'Keep each value letter for letter, and change no other one.',
  config_form: 'State every feature in ServiceProviderConfig (RFC 7643 §5).',
  resource_type_form: 'Describe the resource types User and Group (RFC 7643 §6).',
  schema_missing: 'Declare the attribute in /Schemas, or remove its mapping at the IdP.',
  filter_result: 'Answer a filter with the matching records, and with those only (RFC 7644 §3.4.2.2).',
  page_wrong: 'Give pages as RFC 7644 §3.4.2.4 has them: in a stable order, each record on one page.',
  etag_wrong: 'Give meta.version and ETag the same value, and heed If-None-Match and If-Match (RFC 7644 §3.14).',
  secret_shown: 'Never answer with a password.',
  member_wrong: 'Add and remove exactly the members that the request names.',
  still_there: 'Answer 404 for a deleted record, and leave it out of every list.',
  lost: 'Keep deactivated users readable and findable: an IdP otherwise creates them again.',
  slow_leaver: 'Let a removal take effect with its answer: a leaver is otherwise active until then.',
  prerequisite: 'Solve the findings above first, then run this again.',
  left_behind: 'Delete the record by hand.',
  base_url_differs: 'Set BASE_URL to the address that IdPs use, and let the proxy pass host and path unchanged.',
  not_ready: 'Look at the reason and into the log; docs/runbook/not-ready.md has the causes.',
  clock_off: 'Synchronise the clock of the server: tokens and assertions otherwise count as expired or not yet valid.',
  certificate_expires: 'Renew the certificate.',
  certificate_untrusted: 'Serve a certificate of a public authority for this name, with its intermediate certificates.',
  rate_limit_missing: 'Set RATE_LIMIT: one IdP with a loop otherwise takes the whole service.',
  callback_lost: 'Let the proxy pass /api/auth to the service, without redirects.',
} as const;

type FindingCode = keyof typeof NEXT_STEPS;

/** What is not right, where, and what to do. */
export interface DoctorFinding {
  code: FindingCode;
  /** The attribute, header or member of the answer, such as `meta.location` or `emails[0].value`; null: the answer as a whole. */
  field: string | null;
  message: string;
  next_step: string;
}

export function finding(code: FindingCode, field: string | null, message: string): DoctorFinding {
  return { code, field, message, next_step: NEXT_STEPS[code] };
}

/** Returns a value as it is in a message: JSON, at most 120 characters. */
export function inJson(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** A JSON object whose members are not known yet. */
export type JsonRecord = Record<string, unknown>;

export interface Answer {
  method: string;
  /** Path and query below the SCIM address, such as `/Users?count=1`. */
  path: string;
  status: number;
  /** By name in lower case. */
  headers: Readonly<Record<string, string>>;
  text: string;
  /** The parsed text; undefined: there is no text, or the text is no JSON. */
  body: unknown;
}

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a value by its path.
 *
 * @param path member names and indexes, such as `['Resources', 0, 'id']`; a text is one member after another, divided by dots
 */
export function valueAt(value: unknown, path: string | readonly (string | number)[]): unknown {
  let found = value;
  for (const step of typeof path === 'string' ? path.split('.') : path) {
    if (Array.isArray(found)) found = found[Number(step)];
    else found = isRecord(found) ? found[step] : undefined;
  }
  return found;
}

/** Returns the records of a list answer; none where the answer is no list. */
export function listedRecords({ body }: Answer): JsonRecord[] {
  const records = valueAt(body, 'Resources');
  return Array.isArray(records) ? records.filter(isRecord) : [];
}

/** Returns the id of the record that an answer has, or undefined. */
export function recordId({ body }: Answer): string | undefined {
  const id = valueAt(body, 'id');
  return typeof id === 'string' && id !== '' ? id : undefined;
}

export function requestOf({ method, path }: Answer): string {
  return `${method} ${path}`;
}

/** Returns a text as JSON, or undefined where the text is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
