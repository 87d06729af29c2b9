import { Body, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { ApiRefusals } from '../../../base/http/api-answers.js';
import { Choice, Flag, Whole } from '../../../base/http/fields.js';
import { Logger } from '../../../base/log/logger.js';
import { OperatorController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RecentSignIn, type Caller } from '../../../tenancy/tenants/caller.js';
import { ServiceKeys, type ServiceKeyView, type KeyPurpose } from './service-keys.js';

class RotateSigningKey {
  @Choice(['jwt', 'saml'], { description: 'Tokens of applications, or messages to SAML IdPs.' })
  purpose!: KeyPurpose;

  @Whole({
    min: 0,
    max: 365 * 86_400,
    optional: true,
    description:
      'When it takes over, in seconds; 600 (jwt) or 30 days (saml) unless set. Verifiers must know it by then.',
  })
  active_in_seconds?: number;

  @Flag({
    optional: true,
    description: 'The former key was stolen: its signatures are no longer accepted from now on.',
  })
  retire_old?: boolean;
}

class SigningKeyBody implements ServiceKeyView {
  @ApiProperty({ description: 'The `kid` of tokens.' })
  id!: string;
  @ApiProperty({ enum: ['jwt', 'saml'] })
  purpose!: KeyPurpose;
  @ApiProperty({ description: 'From when on it signs.' })
  active_from!: Date;
  @ApiProperty({ type: Date, nullable: true, description: 'The end of its use.' })
  retired_at!: Date | null;
  @ApiProperty({ description: 'A JWK (jwt), a certificate in PEM (saml).' })
  public_key!: string;
}

class SigningKeysBody {
  @ApiProperty({ type: [SigningKeyBody] })
  keys!: SigningKeyBody[];
}

@OperatorController('tenants/keys/signing')
@ApiRefusals()
export class SigningKeysController {
  constructor(
    private readonly keys: ServiceKeys,
    private readonly logger: Logger,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The keys that tokens and SAML messages are signed with, the newest first' })
  @ApiOkResponse({ type: SigningKeysBody })
  async list(): Promise<SigningKeysBody> {
    return { keys: [...(await this.keys.list('jwt')), ...(await this.keys.list('saml'))] };
  }

  @RecentSignIn()
  @Post('rotate')
  @HttpCode(200)
  @ApiOperation({ summary: 'Makes the next key: published at once, active later; the former one stays for a while' })
  @ApiOkResponse({ type: SigningKeysBody })
  async rotate(
    @CurrentCaller() { actor, requestId }: Caller,
    @Body() body: RotateSigningKey,
  ): Promise<SigningKeysBody> {
    const keys = await this.keys.rotate({ actor, requestId }, body);
    this.logger.info('a new signing key was made', { purpose: body.purpose, key_id: keys[0]!.id });
    return { keys };
  }
}
