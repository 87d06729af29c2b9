import { Get, Query } from '@nestjs/common';
import { ApiOperation, ApiProperty } from '@nestjs/swagger';
import { ApiPage, ApiRefusals } from '../../base/http/api-answers.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import { OperatorController } from './api-controller.js';
import { InstallationAudit, type InstallationAuditRow } from './audit/installation-audit.js';

/** The actor of an act: the operator, or the system. */
class InstallationActor {
  @ApiProperty({ enum: ['operator', 'system'] })
  kind!: string;
  @ApiProperty({ type: String, nullable: true })
  id!: string | null;
  @ApiProperty({ type: String, nullable: true })
  name!: string | null;
}

/** A line of the installation's audit log. */
class InstallationAuditBody {
  @ApiProperty({ example: '17' })
  id!: string;
  @ApiProperty({ type: String, format: 'date-time' })
  at!: string;
  @ApiProperty()
  actor!: InstallationActor;
  @ApiProperty({ example: 'signing_key.rotated' })
  action!: string;
  @ApiProperty({ example: 'signing_key' })
  target_type!: string;
  @ApiProperty()
  target_id!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'What came of the act, without secrets.',
  })
  after!: unknown;
  @ApiProperty({ type: String, nullable: true })
  request_id!: string | null;
}

/** The operator's view of the installation's audit log. */
@OperatorController('installation/audit')
@ApiRefusals()
export class InstallationAuditController {
  constructor(private readonly audit: InstallationAudit) {}

  @Get()
  @ApiOperation({ summary: 'Acts of the operator that concern no tenant, newest first' })
  @ApiPage(InstallationAuditBody)
  async list(@Query() query: QueryMap): Promise<Page<InstallationAuditBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, 'installation audit');
    return pageOf(page, await this.audit.list(page), (row) => row.entry_id, view);
  }
}

function view(row: InstallationAuditRow): InstallationAuditBody {
  const { entry_id: id, at, actor, action, target_type, target_id, after, request_id } = row;
  const { kind, id: actorId, name } = actor as { kind: string; id?: string; name?: string };
  return {
    id,
    at: at.toISOString(),
    actor: { kind, id: actorId ?? null, name: name ?? null },
    action,
    target_type,
    target_id,
    after,
    request_id,
  };
}
