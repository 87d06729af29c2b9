import { ApiProperty } from '@nestjs/swagger';

const OPTIONAL = { required: false } as const;

/** A public key (RFC 7517): of RSA `n` and `e`, of EC `crv`, `x` and `y`, of Ed25519 `crv` and `x`. */
class JwkBody {
  @ApiProperty({ enum: ['RSA', 'EC', 'OKP'] })
  kty!: string;
  @ApiProperty()
  kid!: string;
  @ApiProperty({ example: 'RS256' })
  alg!: string;
  @ApiProperty({ enum: ['sig'] })
  use!: string;
  @ApiProperty(OPTIONAL)
  n?: string;
  @ApiProperty(OPTIONAL)
  e?: string;
  @ApiProperty(OPTIONAL)
  crv?: string;
  @ApiProperty(OPTIONAL)
  x?: string;
  @ApiProperty(OPTIONAL)
  y?: string;
}

/** A set of public keys, for verifiers of our tokens. */
export class JwksBody {
  @ApiProperty({ type: [JwkBody] })
  keys!: JwkBody[];
}
