/** A setting of connections at the terminal: one option, and what it becomes in the API. */
export interface ConnectionSetting {
  name: string;
  description: string;
  /** What a new connection has without it. */
  unless?: string;
  required?: boolean;
  /** `pairs`: an object of texts. `secret`: `-` reads it from standard input. A file's field is `of`. */
  kind: 'text' | 'flag' | 'list' | 'number' | 'pairs' | 'secret' | 'file' | 'certificates';
  of?: string;
  /** Can be taken away again, by `none`. */
  clearable?: boolean;
  /** Cannot be changed later. */
  final?: boolean;
}

const COMMON: readonly ConnectionSetting[] = [
  { name: 'name', kind: 'text', description: 'what the connection is called', required: true },
  { name: 'slug', kind: 'text', description: 'names it in addresses', unless: 'made from the name', final: true },
  { name: 'directory_id', kind: 'text', description: 'the directory whose users sign in here', clearable: true },
  { name: 'link_claim', kind: 'text', description: 'the claim that equals SCIM externalId', clearable: true },
  { name: 'claim_map', kind: 'pairs', description: 'which claim feeds which field, such as email=mail,role=groups' },
  {
    name: 'role_map',
    kind: 'pairs',
    description: 'which value of the role claim gives which role, as value=role,…',
    clearable: true,
  },
  {
    name: 'email_trust',
    kind: 'text',
    description: 'domain, or verified: users are found by an e-mail only where the IdP says email_verified: true',
    unless: 'domain',
  },
  { name: 'jit', kind: 'flag', description: 'creates missing users at their first sign-in (just-in-time)' },
  { name: 'default_role', kind: 'text', description: 'the role of users that it creates', unless: 'User' },
  { name: 'return_origins', kind: 'list', description: 'other applications, with commas between', clearable: true },
];

const OIDC: readonly ConnectionSetting[] = [
  { name: 'issuer', kind: 'text', description: 'exactly as the IdP writes it', required: true },
  {
    name: 'discovery_url',
    kind: 'text',
    description: 'where the IdP’s metadata is',
    unless: 'below the issuer',
    clearable: true,
  },
  { name: 'client_id', kind: 'text', description: 'the client id at the IdP', required: true },
  { name: 'client_secret', kind: 'secret', description: 'the IdP’s secret for us; - reads it from standard input' },
  {
    name: 'token_auth',
    kind: 'text',
    description: 'client_secret_basic, client_secret_post or private_key_jwt',
    unless: 'client_secret_basic',
  },
  { name: 'scopes', kind: 'list', description: 'with commas between', unless: 'openid,profile,email' },
  {
    name: 'id_token_alg',
    kind: 'text',
    description: 'RS256, PS256, ES256 or EdDSA: the only one that is accepted',
    clearable: true,
  },
  { name: 'user_info', kind: 'text', description: 'optional, required or never', unless: 'optional' },
  { name: 'max_age_seconds', kind: 'number', description: 'how old a sign-in at the IdP may be', clearable: true },
  {
    name: 'acr_values',
    kind: 'list',
    description: 'with commas between; one of them has to be the acr',
    clearable: true,
  },
];

const SAML: readonly ConnectionSetting[] = [
  {
    name: 'metadata_url',
    kind: 'text',
    description: 'the IdP’s metadata, read again as often as it wants',
    clearable: true,
  },
  {
    name: 'metadata_certificate_file',
    kind: 'certificates',
    of: 'metadata_certificates',
    description: 'a PEM file; one of its certificates has to have signed the metadata',
    clearable: true,
  },
  { name: 'metadata_file', kind: 'file', of: 'metadata_xml', description: 'a file with the IdP’s metadata' },
  { name: 'idp_entity_id', kind: 'text', description: 'who the IdP is' },
  { name: 'sso_url', kind: 'text', description: 'where it signs users in' },
  { name: 'sso_binding', kind: 'text', description: 'redirect or post', unless: 'redirect' },
  { name: 'slo_url', kind: 'text', description: 'where it signs users out', clearable: true },
  { name: 'slo_binding', kind: 'text', description: 'redirect or post', unless: 'redirect' },
  {
    name: 'slo_response_url',
    kind: 'text',
    description: 'where it takes answers to its logout',
    unless: 'slo_url',
    clearable: true,
  },
  {
    name: 'certificate_file',
    kind: 'certificates',
    of: 'certificates',
    description: 'a PEM file with its certificates, all of them',
  },
  { name: 'signed', kind: 'text', description: 'assertion, response or both', unless: 'assertion' },
  { name: 'sign_requests', kind: 'flag', description: 'signs requests', unless: 'on' },
  { name: 'allow_idp_initiated', kind: 'flag', description: 'accepts sign-ins that the IdP begins' },
  { name: 'name_id_format', kind: 'text', description: 'the format that is asked for', clearable: true },
  {
    name: 'subject_claim',
    kind: 'text',
    description: 'the attribute that is the subject, where the NameID is transient',
    unless: 'the NameID',
    clearable: true,
  },
  {
    name: 'sp_entity_id',
    kind: 'text',
    description: 'who we are to it',
    unless: 'the address of our metadata',
    clearable: true,
  },
  { name: 'clock_skew_seconds', kind: 'number', description: 'by how much clocks may differ', unless: '60' },
  {
    name: 'authn_contexts',
    kind: 'list',
    description: 'with commas between; one of them has to be the context',
    clearable: true,
  },
];

/** What a connection of a type is made with. */
export const SETTINGS = {
  oidc: [...COMMON, ...OIDC],
  saml: [...COMMON, ...SAML],
} as const satisfies Record<string, readonly ConnectionSetting[]>;

/** What can be changed, of either type; what belongs to the other one, the service says. */
export const CHANGEABLE: readonly ConnectionSetting[] = [...COMMON, ...OIDC, ...SAML].filter(
  ({ final }) => final !== true,
);
