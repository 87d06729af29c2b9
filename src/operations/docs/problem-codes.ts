/** Every `code` of a refusal and its meaning for the caller. `type` of a problem (RFC 9457) points to `/docs/problems#<code>`. */
export const PROBLEM_CODES: Record<string, string> = {
  base_url_taken: 'Another tenant has this base address.',
  body_in_crumbs:
    'The body comes in more than 256 pieces that have less than 32 bytes on average. The connection is closed. Send it in larger pieces.',
  body_too_large:
    'The body is over the limit of its address: 1 MiB, 4 MiB for Bulk, 16 MiB for a group; forms have less, at most 260 KiB.',
  cannot_be_released:
    'The reason for which this user is held cannot be lifted by hand. `detail` says what has to happen first.',
  changed_meanwhile: 'Another request has changed the record meanwhile. Read it again.',
  confirm_needed:
    'The test would leave something in the ATS, or empty a field. `detail` says what. Send `confirm: true` where that is right.',
  console_link_over:
    'The link of the console is not valid. A link works once, for ten minutes. Ask the operator for a new one.',
  conflict: 'The request conflicts with the present state.',
  count_changed: 'The number of users is another one than `count`. `detail` has it. Nothing was done.',
  credential_ended: 'A revoked or expired credential cannot be rotated. Make a new one.',
  credential_in_use:
    'The credential was used in the last 24 hours (`last_used_at`), and its end would refuse the next requests. Change to another credential first, or send `force=true`.',
  credential_invalid: 'The credential is unknown, expired or revoked, or of another kind.',
  credential_missing: 'The request has no `Authorization: Bearer` header, and no cookie of the console.',
  cross_site_request:
    'Another site made the browser send this request, or it has a cookie of the console without `Sec-Fetch-Site: same-origin`.',
  document_too_large:
    'The stored record of a user or a group would be over 256 KiB. `limit` and `bytes` have the figures. Nothing was changed.',
  candidate_not_active:
    'The candidate is rejected, hired or archived in the ATS (`ats_status`). `force: true` schedules the interview all the same.',
  domain_exists: 'The domain is in the list of the tenant already.',
  domain_not_verified: 'The DNS record that proves the domain was not found. `detail` says what was found.',
  domain_taken: 'Another tenant has verified this domain.',
  email_taken: 'Another active user has this e-mail. `id` names the user.',
  endpoint_not_ready:
    'A webhook endpoint is resumed once it takes a test event, and it did not. `attempt` says what came of the test. Correct the receiver, then resume again.',
  endpoint_unreadable:
    'No encryption key of the service opens the secret of the webhook endpoint, so nothing can be signed. Rotate the secret and set the headers again.',
  entity_id_taken: 'Another tenant uses this `sp_entity_id`, or has used it. An entity id stays with its first tenant.',
  external_id_taken: 'Another user, or another candidate, has this `external_id`. `id` names the record.',
  forbidden: 'The credential does not allow this.',
  going_live: 'The directory still links users, in a task. Ask again when the task is done.',
  https_needed:
    'The console needs https, or a browser on the machine of the service: elsewhere browsers keep no `Secure` cookie. Set `BASE_URL` to an https address.',
  idempotency_key_reused: 'The Idempotency-Key was used with another address or body within the last 24 hours.',
  illegal_state:
    'The interview is not in a state in which this can happen. `state` is its state, and `allowed` names the states that it can move to.',
  internal_error: 'An error of the service. Send the request id to the operator.',
  invalid_client:
    'The client is not authenticated at `/oauth/token`: its id is unknown, or its secret or assertion is not valid. `last_refusal` of the directory has the reason.',
  invalid_cursor: 'The cursor was not issued by this list, or belongs to other filters. Begin again without it.',
  invalid_fields: 'Fields are not valid. `errors` names each field with the reason.',
  invalid_grant: 'The code or token is unknown, used or too old, or its session has ended.',
  invalid_idempotency_key: 'An Idempotency-Key has 1 to 255 visible ASCII characters.',
  invalid_request:
    'The form of a request for an access token cannot be read, lacks a field, or authenticates the client in two ways.',
  invalid_token_request: 'The fields of a request for a token do not go together. `error` is that of RFC 6749.',
  logout_refused:
    'The logout token of the IdP is missing or not accepted (`error`, see OIDC Back-Channel Logout 1.0 §2.8). The sign-in log says why.',
  malformed_json:
    'The body is not UTF-8, is not JSON, is nested more than 32 deep, or has one member twice in one object.',
  malformed_request: 'The request cannot be read.',
  managed_by_directory: 'A directory writes these fields. Change them there. `directory` and `fields` name them.',
  metadata_needs_confirmation:
    'The metadata of the IdP names another IdP, or none of the known keys. An admin has to confirm it.',
  administrators_unconfirmed:
    'Administrators lose the console by this, or may. `administrators` is their number: send it to confirm the act. Nothing was done.',
  ats_account_taken:
    'Another connection of the tenant is of the same account of the ATS. `id` names it; change that connection.',
  ats_gives_no_answer:
    'The ATS gives no answer, or refuses it: it is not known which account the new credential belongs to, or which users the ATS has. Nothing has changed; try again.',
  other_ats_account:
    'The new credential is of another account of the ATS: it has none of the records of the connection. Connect that account as a connection of its own.',
  marker_taken: 'Another connection to an ATS has the marker. `id` names it.',
  no_interview_engine: 'The tenant has no interview engine. Set one with `PUT /interview-engine`.',
  no_oauth_client: 'The operator has set no OAuth client for this ATS (`ATS_OAUTH_CLIENTS`).',
  not_an_administrator: 'The role of the signed-in user does not administer the tenant.',
  rule_still_applies:
    'A rule of the directory, or its `roles`, still gives the role that the user has now. Undo the rule first, then bring the user back.',
  still_held: 'The user is held still, for another reason. `GET /users/{id}/explain` says what ends it.',
  too_many_tokens: 'A connection to an ATS has at most two live tokens. Remove the older one.',
  wrong_ats_state: 'The state of the connection to an ATS does not allow this; `detail` says why.',
  method_not_allowed: 'The address has other methods. The Allow header lists them.',
  role_needs_admin:
    'The write gives rights of administration, or moves them to another user. It needs a key with the scope `admin`.',
  missing_scope: 'The API key or the session of the console lacks the scope that `scope` names.',
  no_console_session:
    'A tenant is entered by a session of the console, not with the operator token. Make a link with the role `auditor` for the tenant.',
  no_owner: 'The tenant has no owner. Set `owner_user_id` of the tenant first.',
  no_platform_yet: 'The tenant has no connection to a platform yet.',
  no_tenant_entered:
    'The session of the operator has entered no tenant. `POST /tenants/{tenant_id}/enter` lets it read one for 30 minutes.',
  no_session: 'The request has no session, or the session has ended.',
  plan_under_way: 'A task plans rules of this tenant. Wait for it, or cancel it.',
  no_take_over: 'The directory is in preview, or takes over no other directory.',
  not_acceptable: 'The Accept header excludes every media type of this address.',
  not_checkable: 'SAML connections have no check. Use refresh-metadata, or a test sign-in.',
  not_found: 'It does not exist, or it belongs to another tenant.',
  not_implemented: 'The protocol has this operation, and this service does not offer it.',
  not_in_preview: 'The directory is live. A plan is made of a directory in preview.',
  not_parked: 'Only a parked change can be retried or dismissed.',
  not_waiting: 'The change is not waiting any more.',
  operator_token_needed:
    'What has no end of its own (links of the console, domains without a record, another owner) needs the operator token, not a session of the console.',
  operator_only: 'The address is for the operator of the installation.',
  owner_inactive: 'The user of the sign-in link is inactive or deleted. `id` names the user.',
  tenant_entered: 'The session of the operator reads a tenant. Nothing is written until it has left the tenant.',
  position_too_old:
    'Events behind this position are no longer kept. `oldest` is the oldest position; an empty `after` begins there.',
  plan_not_made:
    'The preview has no plan yet. `POST …/preview/plan` makes it in a task; ask again when the task is done.',
  outside_allow_from:
    'The API key is valid, and its `allow_from` does not admit the network that the request came from.',
  precondition_failed: 'If-Match names another version than the present one.',
  record_busy:
    'Other requests kept writing the same user or group for 9 seconds. Nothing was changed. Send the request again after `Retry-After`.',
  refused: 'The request was refused.',
  repeated_parameter: 'A query parameter, or a field of a form, came more than once.',
  request_in_progress: 'The first request with this Idempotency-Key is still running. Try again in a moment.',
  role_exists: 'A role of this name exists.',
  role_in_use: 'Users have the role, or directories or rules name it.',
  scorecard_version:
    'The version that the scorecard names is not the next one, which is `next_version`. Read the newest version, then put yours again.',
  search_too_expensive: 'The search took longer than 3 seconds. `detail` lists the fast filters.',
  seat_limit_reached: 'All seats are taken, and the policy of this channel is `block`.',
  seats_needed:
    'Going live would leave users without a seat. `needed`, `free` and `missing` have the numbers. Confirm with `confirm: true`.',
  secret_unreadable:
    'No encryption key of the service opens a stored secret. The operator puts the missing key back, or the secret is set again.',
  sign_in_again:
    'The act needs a sign-in of the last ten minutes: sign in again, then begin a session of the console anew. A session by a link needs a new link. The time at which the IdP has authenticated the user counts.',
  several_credentials: 'The request has more than one credential.',
  sign_in_link_over:
    'The sign-in link is used, replaced or older than ten minutes, or its user may not sign in. Ask the operator for a new one.',
  slug_taken: 'Another connection has this slug, or a deleted connection of another tenant had it.',
  storage_exhausted:
    'The tenant stores as many bytes as it may. Delete what is not needed, or have the operator raise the limit. Deactivations and deletions pass.',
  storage_full: 'The disk of the database is full. Try again when the operator has made room.',
  task_not_cancellable: 'The task works off a change that is already in force, and cannot be stopped.',
  task_over: 'The task is done or has failed already, and cannot be cancelled.',
  tenant_busy:
    'Too many requests of the tenant wait for the database. Send fewer at once, and again after `Retry-After` seconds.',
  too_many_api_keys: 'The tenant has 200 live API keys, the maximum. Revoke one.',
  too_many_bodies:
    'Bodies that are being read use all the memory for them: 16 MiB for unknown senders, 96 MiB in all, a third of that for a tenant. Send fewer or smaller bodies at once, without pauses, after `Retry-After`.',
  too_many_connections: 'The tenant has 100 connections, the maximum.',
  too_many_directories: 'The tenant has 50 directories, the maximum. Delete one.',
  too_many_domains: 'The tenant has 200 domains, the maximum.',
  too_many_interviews: 'The candidate has 1000 interviews, the maximum. They go with the candidate.',
  too_many_requests:
    'Over the rate limit of the credential, its tenant or (without a credential) its network, or too many wrong credentials. `Retry-After` says when to come back.',
  too_many_roles: 'The tenant has 200 roles, the maximum. Delete one.',
  too_many_tasks:
    'The tenant has 20 imports, comparisons, resends, replays of webhooks and tasks of held users that wait or run, the maximum. Wait until one has finished, or cancel one.',
  too_many_webhooks: 'The tenant has 50 webhook endpoints, the maximum. Delete one.',
  too_many_client_secrets: 'The client has two live secrets, the maximum. Delete the one that is not used any more.',
  too_many_clients: 'The directory has 10 clients, the maximum. Delete one that is not needed.',
  too_many_scim_tokens: 'The directory has 20 live SCIM tokens, the maximum. Revoke one.',
  too_much_contention: 'Other requests changed the same record again and again. Try again.',
  token_unknown:
    'The token of an inbound webhook is missing or wrong, two tokens differ, or the signature does not fit. The connection says which.',
  unauthenticated: 'The credential is missing or not valid.',
  unavailable: 'The database or another part does not answer in time. `Retry-After` says when to come back.',
  unsupported_grant_type: 'The address of access tokens has one grant: `client_credentials`.',
  unsupported_media_type: 'Bodies are uncompressed JSON in UTF-8, or a form where the operation describes one.',
  untested_connection:
    'Users could then sign in only through a connection (`id`) through which no sign-in has succeeded yet. Make a test sign-in first.',
  user_name_taken: 'Another user has this `userName`.',
  window_over: 'No user left the directory within the last 24 hours. An earlier departure is not undone.',
};
