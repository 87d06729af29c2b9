import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiProperty, ApiQuery } from '@nestjs/swagger';
import { ApiFilter, ApiHtml, ApiRedirect, ApiForeignQuery, ApiRefusals } from '../../../base/http/api-answers.js';
import { reasonsBut, RefusalPages } from '../refusal-pages/refusal-pages.description.js';

/** Without the reasons that only SAML has, and those of the page after it. */
const OF_OIDC = reasonsBut(
  'unsolicited', 'landing_lost',
  'message_malformed', 'message_too_large', 'dtd_refused', 'structure_refused', 'signature_missing',
  'recipient_mismatch', 'destination_mismatch', 'assertion_expired', 'assertion_not_yet_valid', 'status_not_success',
  'in_response_to_mismatch', 'replayed', 'decryption_failed', 'name_id_missing',
); // prettier-ignore
/** Without the reasons that only OIDC has, and those that lead to the page after it. */
const OF_SAML = reasonsBut(
  'state_unknown', 'state_used', 'state_expired', 'other_browser', 'landing_lost',
  'idp_error', 'idp_unreachable', 'token_refused',
  'nonce_mismatch', 'token_expired', 'token_not_yet_valid', 'userinfo_mismatch', 'authentication_too_weak',
); // prettier-ignore

const TEST = 'Of a test sign-in: the page with its result, successful or refused. No session begins.';

/** Describes the redirect URI for the API reference. */
export function DescribedOidcCallback(): MethodDecorator {
  return applyDecorators(
    ApiForeignQuery(),
    ApiQuery({ name: 'state', description: 'Which sign-in is answered.' }),
    ApiFilter('code', 'RFC 6749 §4.1.2; missing with `error`.'),
    ApiFilter('iss', 'The issuer (RFC 9207); demanded where the IdP promises it.'),
    ApiFilter('error', 'RFC 6749 §4.1.2.1, OIDC Core §3.1.2.6.'),
    ApiFilter('error_description', 'Goes to the sign-in log.'),
    ApiFilter('error_uri', 'Ignored, like all other parameters of an IdP.'),
    ApiFilter('session_state', 'Passed over.'),
    ApiHtml(200, TEST),
    ApiRedirect(
      303,
      'Signed in, with the session’s cookie, and on to `return_to`; an application of another origin gets `code` there. An answer that came again or too late leads on as well where a user is signed in.',
    ),
    RefusalPages(OF_OIDC),
    ApiRefusals({ 403: ['cross_site_request'] }),
  );
}

/** The form that an IdP has the browser post (SAML Bindings §3.5). */
class SamlAnswerForm {
  @ApiProperty({ description: 'A Response, in base64.' })
  SAMLResponse!: string;
  @ApiProperty({ required: false, description: 'The value of the request.' })
  RelayState?: string;
}

/** Describes the assertion consumer service for the API reference. */
export function DescribedSamlCallback(): MethodDecorator {
  return applyDecorators(
    ApiConsumes('application/x-www-form-urlencoded'),
    ApiBody({ type: SamlAnswerForm }),
    ApiHtml(200, TEST),
    ApiRedirect(
      303,
      'To a page of ours, which the browser asks for with all its cookies, and then on to `return_to`. An answer that came again or too late, or to another browser, leads there too, and on where a user is signed in.',
    ),
    RefusalPages(OF_SAML),
    ApiRefusals({ 403: ['cross_site_request'] }),
  );
}
