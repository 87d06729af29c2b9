import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiProperty } from '@nestjs/swagger';
import { ApiFilter, ApiHtml, ApiRedirect, ApiRefusals } from '../../../base/http/api-answers.js';
import { RefusalPages } from '../refusal-pages/refusal-pages.description.js';

/** Describes the login for the API reference. */
export function DescribedLogin(): MethodDecorator {
  return applyDecorators(
    ApiFilter('email'),
    ApiFilter('connection', 'The slug of a connection.'),
    ApiFilter('iss', 'The issuer of an OIDC connection (OIDC Core §4); with `connection`, it has to be its own.'),
    ApiFilter('target_link_uri', 'The `return_to` of an IdP that begins a sign-in.'),
    ApiFilter('return_to'),
    ApiFilter('prompt', undefined, { enum: ['select_account', 'login'] }),
    ApiFilter('login_hint'),
    ApiFilter(
      'code_challenge',
      'RFC 7636, S256, of the application that gets the code; required where `return_to` is of another origin.',
    ),
    ApiFilter('code_challenge_method', undefined, { enum: ['S256'] }),
    ApiHtml(200, 'A page that asks for the e-mail or offers a choice, or a form to the IdP that sends itself.'),
    ApiRedirect(302, 'To the IdP.'),
    RefusalPages(['too_many_tries', 'connection_disabled', 'idp_unreachable', 'idp_answer_invalid', 'issuer_mismatch']),
    ApiRefusals({ 403: ['cross_site_request'], 404: ['not_found'] }),
  );
}

/** The form of a page of ours, or of an IdP that begins a sign-in (OIDC Core §4). */
class InitiatedLogin {
  @ApiProperty({ required: false, description: 'The e-mail that a user has typed; only from a page of this service.' })
  email?: string;
  @ApiProperty({ required: false, description: 'The slug of the connection that the user has chosen.' })
  connection?: string;
  @ApiProperty({ required: false, description: 'The issuer of an IdP that begins.' })
  iss?: string;
  @ApiProperty({ required: false })
  login_hint?: string;
  @ApiProperty({ required: false, description: 'Where the user wants to go.' })
  target_link_uri?: string;
}

/** Describes the login by a form for the API reference. */
export function DescribedInitiatedLogin(): MethodDecorator {
  return applyDecorators(
    ApiConsumes('application/x-www-form-urlencoded'),
    ApiBody({ type: InitiatedLogin }),
    ApiHtml(200, 'A page that offers a choice of sign-ins, or a form to the IdP that sends itself.'),
    ApiRedirect(303, 'To the IdP; for a form of another site, to the same address with its fields in the query.'),
    RefusalPages(['too_many_tries', 'connection_disabled', 'idp_unreachable', 'idp_answer_invalid', 'issuer_mismatch']),
    ApiRefusals({ 403: ['cross_site_request'], 404: ['not_found'] }),
  );
}
