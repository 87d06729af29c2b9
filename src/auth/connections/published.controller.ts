import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { NotFound } from '../../base/errors/domain-error.js';
import { sendJson } from '../../base/http/answer.js';
import { ApiRefusals } from '../../base/http/api-answers.js';
import type { BridgeResponse } from '../../base/http/request.js';
import { JwksBody } from './keys/jwks.dto.js';
import { publicPart } from '../../protocols/oidc/client-keys.js';
import { METADATA_TYPE } from '../../protocols/saml/sp-metadata.js';
import { SamlProtocol } from '../../protocols/saml/saml.protocol.js';
import { ConnectionStore } from './connection.store.js';
import { IDP_PROVIDER } from './slug.rules.js';

/** What IdPs read of a connection, without authentication. */
@Controller('api/auth')
@ApiTags('sign-in')
@ApiParam(IDP_PROVIDER)
@ApiRefusals()
export class PublishedController {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly saml: SamlProtocol,
  ) {}

  @Get('metadata/:idp_provider')
  @ApiOperation({ summary: 'Our metadata towards the IdP of a SAML connection' })
  @ApiOkResponse({ content: { [METADATA_TYPE]: { schema: { type: 'string' } } } })
  async metadata(@Param('idp_provider') slug: string, @Res() res: BridgeResponse): Promise<void> {
    const connection = await this.connections.bySlug(slug);
    if (connection?.type !== 'saml') throw new NotFound('connection');
    sendJson(res, 200, await this.saml.metadata(connection), `${METADATA_TYPE}; charset=utf-8`);
  }

  @Get('jwks/:idp_provider')
  @ApiOperation({ summary: 'The public key by which the IdP of an OIDC connection knows us (private_key_jwt)' })
  @ApiOkResponse({ type: JwksBody })
  async keys(@Param('idp_provider') slug: string, @Res() res: BridgeResponse): Promise<void> {
    const connection = await this.connections.bySlug(slug);
    if (connection?.type !== 'oidc') throw new NotFound('connection');
    const { privateKey } = connection;
    res.setHeader('Cache-Control', 'public, max-age=300');
    res.json({ keys: privateKey === null ? [] : [publicPart(privateKey)] });
  }
}
