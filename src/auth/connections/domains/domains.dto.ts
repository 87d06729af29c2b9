import { ApiProperty } from '@nestjs/swagger';
import { Ruled, Text } from '../../../base/http/fields.js';
import { ServerSet } from '../../../base/http/validate.js';
import { REASON } from '../../../tenancy/tenants/tenants.dto.js';
import { domainProblem, type DomainState, dnsRecord, domainStateOf } from './domain.rules.js';
import type { DomainRow } from './domains.repository.js';

const CONNECTION = 'The connection for users of the domain; null: any connection of the tenant.';
const SERVER_SET = [
  'state',
  'dns_record',
  'verified_by',
  'verified_at',
  'checked_at',
  'problem',
  'lost_at',
  'created_at',
] as const;

@ServerSet(...SERVER_SET)
export class CreateDomain {
  @Ruled(
    (value) => (typeof value === 'string' ? domainProblem(value.trim()) : 'must be text'),
    { type: String, maxLength: 253 },
    { example: 'example.com', description: 'Without its subdomains: each of them is a domain of its own.' },
  )
  domain!: string;

  @Text({ max: 64, optional: true, nullable: true, description: CONNECTION })
  connection_id?: string | null;
}

@ServerSet('domain', ...SERVER_SET)
export class ChangeDomain {
  @Text({ max: 64, optional: true, nullable: true, description: CONNECTION })
  connection_id?: string | null;
}

export class TrustDomain extends ChangeDomain {
  @Text(REASON)
  reason?: string;
}

class DnsRecordBody {
  @ApiProperty({ enum: ['TXT'] })
  type!: 'TXT';
  @ApiProperty({ example: '_talent-bridge.example.com' })
  name!: string;
  @ApiProperty({ example: 'talent-bridge-verification=…' })
  value!: string;
}

export class DomainBody {
  @ApiProperty({ description: 'In ASCII, lower case.', example: 'example.com' })
  domain!: string;
  @ApiProperty({ enum: ['pending', 'verified', 'lost'], description: 'lost: verified once, and its record is gone.' })
  state!: DomainState;
  @ApiProperty({ type: String, nullable: true, description: CONNECTION })
  connection_id!: string | null;
  @ApiProperty({ description: 'The record that shows that the domain is yours; leave it there.' })
  dns_record!: DnsRecordBody;
  @ApiProperty({ type: String, enum: ['dns', 'operator'], nullable: true })
  verified_by!: 'dns' | 'operator' | null;
  @ApiProperty({ type: Date, nullable: true })
  verified_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true, description: 'When the record was last looked for.' })
  checked_at!: Date | null;
  @ApiProperty({ type: String, nullable: true })
  problem!: string | null;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'Since when the record is gone: no new links, until it is back.',
  })
  lost_at!: Date | null;
  @ApiProperty()
  created_at!: Date;
}

export function domainShape(row: DomainRow): DomainBody {
  return {
    domain: row.domain,
    state: domainStateOf(row),
    connection_id: row.connection_id,
    dns_record: dnsRecord(row.domain, row.challenge),
    verified_by: row.verified_by,
    verified_at: row.verified_at,
    checked_at: row.checked_at,
    problem: row.problem,
    lost_at: row.lost_at,
    created_at: row.created_at,
  };
}
