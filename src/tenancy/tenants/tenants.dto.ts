import { ApiProperty, IntersectionType, OmitType, PickType } from '@nestjs/swagger';
import { AllowFrom, NoticesBody } from '../../base/http/allowed-networks.js';
import { Flag, Moment, Choices, Nested, Ruled, Whole, Text } from '../../base/http/fields.js';
import { queryChoice } from '../../base/http/query.js';
import type { BridgeResponse } from '../../base/http/request.js';
import { ChangeType, ShownType, StoredTimes } from '../../base/http/shown.js';
import { ServerSet } from '../../base/http/validate.js';
import { urlOf } from '../../base/url.js';
import { SCOPES, type Scope } from './scopes.js';
import { HELP_URL, helpUrlProblem } from './tenant.rules.js';
import type { LeftEndpoint } from './tenants.events.js';

/** What the API shows of every credential; never its secret. */
export class CredentialBody {
  @ApiProperty()
  name!: string;
  @ApiProperty({ description: 'The beginning of the secret, by which an administrator recognises the credential.' })
  prefix!: string;
  @ApiProperty({ type: Object, additionalProperties: true })
  created_by!: unknown;
  @ApiProperty({ type: Date, nullable: true })
  expires_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  last_used_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  revoked_at!: Date | null;
  @ApiProperty()
  created_at!: Date;
}

const MAX_OVERLAP_SECONDS = 30 * 86_400;

function timeZoneProblem(value: unknown): string | null {
  if (typeof value !== 'string' || !/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(value)) return 'must be an IANA time zone';
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return null;
  } catch {
    return 'must be an IANA time zone such as Europe/Berlin';
  }
}

const TIME_ZONE = {
  type: String,
  example: 'Europe/Berlin',
  description: 'IANA name; days of this tenant begin there.',
};

const MAX_BREAK_GLASS = 5;

/** The database decides whether the ids are users. */
function breakGlassProblem(value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be a list of user ids';
  if (value.length > MAX_BREAK_GLASS) return `must name at most ${MAX_BREAK_GLASS} users, and names ${value.length}`;
  if (!value.every((one) => typeof one === 'string' && /^[\w-]{1,64}$/.test(one))) return 'must hold only user ids';
  return new Set(value).size === value.length ? null : 'must hold each id once';
}

const BREAK_GLASS = {
  type: String,
  isArray: true,
  maxItems: MAX_BREAK_GLASS,
  example: ['usr_01k0000000abcdefghjkmnpqrs'],
  description:
    'Users that no directory can deactivate or remove, and for which the operator can make a sign-in link. At most 5, each an active user when it is named.',
};

function baseUrlProblem(value: unknown): string | null {
  const url = typeof value === 'string' ? urlOf(value) : null;
  if (url === null || url.protocol !== 'https:') return 'must be an https address such as https://acme.example.com';
  const isOrigin = url.pathname === '/' && url.search === '' && url.hash === '' && url.username + url.password === '';
  return isOrigin ? null : 'must be an address without a path, a query or credentials';
}

const BASE_URL = {
  type: String,
  format: 'uri',
  example: 'https://acme.example.com',
  description:
    'The tenant’s own base address, which its links have; null: the installation’s. No other tenant can have it, and it opens no other tenant’s resources.',
};

class FirstApiKey {
  @Text({ max: 200, optional: true, example: 'first key' })
  name?: string;

  @Choices(SCOPES, { optional: true, description: 'All that a key can have, when left out.' })
  scopes?: Scope[];

  @Moment({ optional: true, nullable: true })
  expires_at?: Date | null;
}

@ServerSet('id', 'created_at', 'updated_at')
export class CreateTenant {
  @Text({ max: 200, example: 'Example Ltd.' })
  name!: string;

  @Ruled(timeZoneProblem, TIME_ZONE, { optional: true })
  time_zone?: string;

  @Flag({ optional: true, description: 'Whether the users API may write what a directory manages.' })
  api_may_write_directory_users?: boolean;

  @Nested(() => FirstApiKey, { optional: true, description: 'Also makes a first API key, shown once.' })
  api_key?: FirstApiKey;
}

@ServerSet('id', 'base_url', 'created_at', 'updated_at')
export class ChangeTenant extends ChangeType(OmitType(CreateTenant, ['api_key'])) {
  @Text({ max: 64, optional: true, nullable: true, description: 'The user who gets a seat even at the limit.' })
  owner_user_id?: string | null;

  @Ruled(helpUrlProblem, HELP_URL, { optional: true, nullable: true })
  help_url?: string | null;

  @Ruled(breakGlassProblem, BREAK_GLASS, { optional: true })
  break_glass?: string[];
}

/** The operator also sets what a tenant may not give itself. */
@ServerSet('id', 'created_at', 'updated_at')
class ChangeAnyTenant extends ChangeTenant {
  @Ruled(baseUrlProblem, BASE_URL, { optional: true, nullable: true })
  base_url?: string | null;
}

const KEY_SERVER_SET = [
  'id',
  'prefix',
  'created_by',
  'created_at',
  'last_used_at',
  'last_refusal',
  'revoked_at',
  'replaces_id',
  'orphaned',
  'notices',
] as const;

@ServerSet(...KEY_SERVER_SET)
export class CreateApiKey {
  @Text({ max: 200, example: 'Zapier' })
  name!: string;

  @Choices(SCOPES, { description: '`admin` holds all of them.', example: ['users:read'] })
  scopes!: Scope[];

  @Moment({
    optional: true,
    nullable: true,
    description: 'At most a year from now; without it the token does not expire.',
  })
  expires_at?: Date | null;

  @Text({
    max: 64,
    optional: true,
    nullable: true,
    description:
      'Makes it the key of a user, which ends with the user; null: the key of a service. When left out, a key that is made with a session is of its user, and one that is made with a key is of a service.',
  })
  owner_user_id?: string | null;

  @AllowFrom('the key admits requests')
  allow_from?: string[];
}

@ServerSet(...KEY_SERVER_SET)
export class ChangeApiKey extends ChangeType(PickType(CreateApiKey, ['name', 'allow_from'])) {}

/** The body of the rotation of a key or token. */
export class RotateCredential {
  @Whole({ min: 0, max: MAX_OVERLAP_SECONDS, optional: true, description: 'How long the old one still holds.' })
  overlap_seconds?: number;

  @Moment({
    optional: true,
    nullable: true,
    description:
      'When the new one ends, at most a year from now; null: never. When left out, it lives as long as the old one was made for.',
  })
  expires_at?: Date | null;
}

const SHOWN = [
  'name',
  'time_zone',
  'owner_user_id',
  'break_glass',
  'api_may_write_directory_users',
  'base_url',
  'help_url',
] as const;

export class TenantBody extends IntersectionType(ShownType(ChangeAnyTenant, SHOWN), StoredTimes) {
  @ApiProperty({ example: 'ten_01k0000000abcdefghjkmnpqrs' })
  id!: string;
}

class KeyRefusal {
  @ApiProperty({ type: String, format: 'date-time' })
  at!: string;
  @ApiProperty({ enum: ['outside_allow_from'] })
  reason!: string;
  @ApiProperty({ type: String, nullable: true, example: '198.51.100.7' })
  address!: string | null;
}

export class ApiKeyBody extends IntersectionType(
  CredentialBody,
  ShownType(CreateApiKey, ['scopes', 'owner_user_id', 'allow_from']),
  NoticesBody,
) {
  @ApiProperty({ example: 'key_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ enum: ['service', 'user'] })
  owner_kind!: 'service' | 'user';
  @ApiProperty({ description: 'A service’s key whose maker has left.' })
  orphaned!: boolean;
  @ApiProperty({ type: String, nullable: true })
  replaces_id!: string | null;
  @ApiProperty({
    type: () => KeyRefusal,
    nullable: true,
    description: 'The last request from a network that `allow_from` does not admit.',
  })
  last_refusal!: KeyRefusal | null;
}

export class NewApiKeyBody extends ApiKeyBody {
  @ApiProperty({ description: 'The secret; only this answer shows it.' })
  api_key!: string;
}

export class NewTenantBody extends TenantBody {
  @ApiProperty({ required: false, description: 'The first key’s secret: shown this once.' })
  api_key?: string;
}

/** Why the operator acts in a tenant. */
export const REASON = {
  max: 500,
  min: 1,
  optional: true,
  example: 'Ticket 4711: the administrators are locked out',
  description: 'Why. The audit log of the tenant has it. A session of the console has to say it.',
} as const;

export const REASON_QUERY = {
  name: 'reason',
  required: false,
  schema: { type: 'string' as const, minLength: REASON.min, maxLength: REASON.max, example: REASON.example },
  description: REASON.description,
};

export class ChangeTenantByOperator extends ChangeAnyTenant {
  @Text(REASON)
  reason?: string;
}

export class CreateTenantKey extends CreateApiKey {
  @Text(REASON)
  reason?: string;
}

const TEXT = { type: String, nullable: true } as const;

/** The platform's view of a user. */
export class PersonBody {
  @ApiProperty(TEXT)
  email!: string | null;
  @ApiProperty()
  first_name!: string;
  @ApiProperty()
  last_name!: string;
  @ApiProperty(TEXT)
  role!: string | null;
  @ApiProperty(TEXT)
  external_id!: string | null;
}

/** What happens to webhook endpoints whose maker ends. */
export const ENDPOINTS_QUERY = {
  name: 'endpoints',
  required: false,
  enum: ['keep', 'pause'],
  description:
    'What becomes of the webhook endpoints that were made in the name of what ends: they continue (`keep`, unless set) or are paused.',
};

/** Returns whether a request asks for endpoints to be paused. */
export function pausesEndpoints(value: string | undefined): boolean {
  return queryChoice('endpoints', value, ['keep', 'pause']) === 'pause';
}

/** A webhook endpoint that continues after its maker has ended, or was paused on request. */
export class LeftEndpointBody implements LeftEndpoint {
  @ApiProperty({ example: 'whk_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ type: String, nullable: true })
  description!: string | null;
  @ApiProperty({ example: 'hooks.example.com' })
  host!: string;
  @ApiProperty({ description: 'Whether the endpoint is paused now; otherwise it still receives events.' })
  paused!: boolean;
}

/** What continues after a key or a user has ended. */
export class LeftEndpointsBody {
  @ApiProperty({ type: [LeftEndpointBody], description: 'Webhook endpoints that were made in its name. Never empty.' })
  endpoints!: LeftEndpointBody[];
}

/** Returns the body that names endpoints that continue; without any, the answer is 204 and has none. */
export function leftEndpoints(
  res: Pick<BridgeResponse, 'status'>,
  endpoints: LeftEndpoint[],
): LeftEndpointsBody | undefined {
  res.status(endpoints.length === 0 ? 204 : 200);
  return endpoints.length === 0 ? undefined : { endpoints };
}
