import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiProperty, ApiQuery } from '@nestjs/swagger';
import { ApiHtml, ApiRedirect } from '../../base/http/api-answers.js';
import { ApiRefusals } from '../../base/http/api-problems.js';
import { RefusalPages } from './refusal-pages.description.js';

/** The documentation of what the login takes and answers. */
export function DescribedLogin(): MethodDecorator {
  return applyDecorators(
    ApiQuery({ name: 'email', required: false }),
    ApiQuery({ name: 'connection', required: false, description: 'The slug of a connection.' }),
    ApiQuery({
      name: 'iss',
      required: false,
      description: 'The issuer of an OIDC connection (OIDC Core §4); with `connection`, it has to be its own.',
    }),
    ApiQuery({
      name: 'target_link_uri',
      required: false,
      description: 'The `return_to` of an IdP that begins by itself.',
    }),
    ApiQuery({ name: 'return_to', required: false }),
    ApiQuery({ name: 'prompt', required: false, enum: ['select_account', 'login'] }),
    ApiQuery({ name: 'login_hint', required: false }),
    ApiQuery({
      name: 'code_challenge',
      required: false,
      description:
        'RFC 7636, S256, of the application that gets the code; required where `return_to` is of another origin.',
    }),
    ApiQuery({ name: 'code_challenge_method', required: false, enum: ['S256'] }),
    ApiHtml(200, 'Asks for the e-mail, or lets people choose; or a form that goes on to the IdP by itself.'),
    ApiRedirect(302, 'To the IdP.'),
    RefusalPages(['too_many_tries', 'connection_disabled', 'idp_unreachable', 'idp_answer_invalid', 'issuer_mismatch']),
    ApiRefusals({ 403: ['cross_site_request'], 404: ['not_found'] }),
  );
}

/** What an IdP posts that begins a sign-in by itself (OIDC Core §4). */
class InitiatedLogin {
  @ApiProperty({ description: 'Its issuer.' })
  iss!: string;
  @ApiProperty({ required: false })
  login_hint?: string;
  @ApiProperty({ required: false, description: 'Where the person wants to go.' })
  target_link_uri?: string;
}

/** The documentation of the same by a form. */
export function DescribedInitiatedLogin(): MethodDecorator {
  return applyDecorators(
    ApiConsumes('application/x-www-form-urlencoded'),
    ApiBody({ type: InitiatedLogin }),
    ApiRedirect(303, 'To the same address, with what the form says in its query.'),
    ApiRefusals({ 403: ['cross_site_request'] }),
  );
}
