import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiProperty,
  ApiQuery,
  ApiResponse,
  ApiSecurity,
  getSchemaPath,
  ApiExtraModels,
} from '@nestjs/swagger';
import { ApiFilter, ApiHtml, ApiRedirect, ApiForeignQuery, ApiRefusals } from '../../../base/http/api-answers.js';
import { SIGNATURE_ALGORITHMS } from '../../../protocols/saml/names.js';
import { RefusalPages } from '../refusal-pages/refusal-pages.description.js';

const FORM = 'application/x-www-form-urlencoded';
const OURS = 'The IdP’s answer to our LogoutRequest; instead of `SAMLRequest`.';

/** Describes the answers of both bindings. */
function SloAnswers(): MethodDecorator {
  return applyDecorators(
    ApiHtml(200, 'A form to the IdP with our LogoutResponse, which sends itself (HTTP-POST).'),
    ApiRedirect(303, 'To the IdP with our LogoutResponse, or to the signed-out page.'),
    RefusalPages([
      'too_many_tries', 'binding_refused', 'message_malformed', 'message_too_large', 'dtd_refused', 'structure_refused',
      'signature_missing', 'signature_invalid', 'algorithm_refused', 'issuer_mismatch', 'destination_mismatch',
      'assertion_expired', 'assertion_not_yet_valid', 'name_id_missing', 'replayed', 'idp_answer_invalid',
    ]), // prettier-ignore
    ApiRefusals(),
  );
}

/** Describes single logout by HTTP-Redirect (SAML Bindings §3.4) for the API reference. */
export function DescribedSloByRedirect(): MethodDecorator {
  return applyDecorators(
    ApiForeignQuery(),
    ApiFilter('SAMLRequest', 'A LogoutRequest, deflated, in base64.'),
    ApiFilter('SAMLResponse', OURS),
    ApiFilter('RelayState', 'Goes back with our answer.'),
    ApiQuery({ name: 'SigAlg', enum: [...SIGNATURE_ALGORITHMS.keys()] }),
    ApiQuery({ name: 'Signature', description: 'Over the octets of the query as they are written.' }),
    ApiFilter('SAMLEncoding', undefined, { enum: ['urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE'] }),
    SloAnswers(),
  );
}

/** The form that an IdP has the browser post (SAML Bindings §3.5). */
class SamlLogoutForm {
  @ApiProperty({ required: false, description: 'A signed LogoutRequest, in base64.' })
  SAMLRequest?: string;
  @ApiProperty({ required: false, description: OURS })
  SAMLResponse?: string;
  @ApiProperty({ required: false, description: 'Goes back with our answer.' })
  RelayState?: string;
}

/** Describes single logout by HTTP-POST for the API reference. */
export function DescribedSloByPost(): MethodDecorator {
  return applyDecorators(ApiConsumes(FORM), ApiBody({ type: SamlLogoutForm }), SloAnswers());
}

/** The form that an IdP posts (OIDC Back-Channel Logout 1.0 §2.5). */
class LogoutTokenForm {
  @ApiProperty({ description: 'A JWT of the IdP, with `sub`, `sid` or both.' })
  logout_token!: string;
}

/** Describes back-channel logout for the API reference. */
export function DescribedBackChannel(): MethodDecorator {
  return applyDecorators(
    ApiConsumes(FORM),
    ApiBody({ type: LogoutTokenForm }),
    ApiResponse({ status: 200, description: 'The sessions that it names are ended, if there were any. Empty.' }),
    ApiRefusals({ 400: ['logout_refused'], 429: ['too_many_requests'] }),
  );
}

/** Describes front-channel logout for the API reference. */
export function DescribedFrontChannel(): MethodDecorator {
  return applyDecorators(
    ApiForeignQuery(),
    ApiQuery({ name: 'iss', description: 'The issuer of the connection.' }),
    ApiQuery({ name: 'sid', description: 'The session at the IdP, as its ID token has named it.' }),
    ApiHtml(200, 'An empty page. It does not reveal whether there was such a session.'),
    RefusalPages(['too_many_tries', 'binding_refused', 'issuer_mismatch']),
    ApiRefusals({ 400: ['repeated_parameter'], 422: ['invalid_fields'] }),
  );
}

/** The answer to a script. */
class SignedOutBody {
  @ApiProperty({ format: 'uri', description: 'The next address of the browser: at the IdP, or the signed-out page.' })
  redirect_to!: string;
}

/** Describes that the session’s cookie is optional. */
function MaybeSession(): MethodDecorator {
  return applyDecorators(ApiSecurity('session'), ApiSecurity({}));
}

/** Describes the logout for the API reference. */
export function DescribedLogout(): MethodDecorator {
  return applyDecorators(
    MaybeSession(),
    ApiExtraModels(SignedOutBody),
    ApiResponse({
      status: 200,
      description: 'The next address, or a form to the IdP that sends itself (SAML by HTTP-POST).',
      content: {
        'application/json': { schema: { $ref: getSchemaPath(SignedOutBody) } },
        'text/html': { schema: { type: 'string' } },
      },
    }),
    ApiRedirect(303, 'To the IdP, or to the signed-out page.'),
    ApiRefusals({ 403: ['cross_site_request'] }),
  );
}

/** Describes the page after a logout for the API reference. */
export function DescribedSignedOut(): MethodDecorator {
  return ApiHtml(200, 'A page that confirms it, with a link to sign in again.');
}

/** Describes the home page for the API reference. */
export function DescribedHome(): MethodDecorator {
  return applyDecorators(
    MaybeSession(),
    ApiHtml(200, 'The signed-in user, and a button to sign out.'),
    ApiRedirect(302, 'To the login, when there is no session.'),
    ApiRefusals(),
  );
}
