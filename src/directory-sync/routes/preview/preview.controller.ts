import { Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiProperty, ApiAcceptedResponse, ApiOperation } from '@nestjs/swagger';
import { Conflict } from '../../../base/errors/domain-error.js';
import { ApiFilter, ApiPaging, ApiExportedPage, ApiRefusals } from '../../../base/http/api-answers.js';
import { csvLine, exportFormat, sendExport } from '../../../base/http/export.js';
import { pageOf, PAGE_OPTIONS, readPage } from '../../../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../../base/http/request.js';
import { newTaskBody, TaskBody } from '../../../engine/work/tasks.dto.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireEveryScope, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { GuardService } from '../../users/guard/guard.service.js';
import { EffectStepsBody } from '../effect-steps.dto.js';
import { PreviewPlans, type CurrentPlan } from './preview-plans.js';
import { type PlannedRow, PreviewPlansRepository, type PlannedFilter } from './preview-plans.repository.js';
import { PREVIEW_KINDS, kindsOf } from './preview.rules.js';

class PreviewCounts {
  @ApiProperty({ description: 'New users.' })
  create!: number;
  @ApiProperty({ description: 'Unmanaged users that the directory would manage.' })
  link!: number;
  @ApiProperty({ description: 'Users of the directory that it replaces.' })
  take_over!: number;
  @ApiProperty()
  update!: number;
  @ApiProperty()
  deactivate!: number;
  @ApiProperty()
  delete!: number;
  @ApiProperty({ description: 'Users who would need a seat and do not hold one.' })
  take_seat!: number;
  @ApiProperty({ description: 'Users who would find no free seat.' })
  find_none!: number;
  @ApiProperty({ description: 'Departures that the guard of the directory would hold.' })
  held_by_guard!: number;
  @ApiProperty({
    description:
      'Administrators who would lose the console, or the right to write there. Going live demands this number as `administrators`.',
  })
  administrators!: number;
}

class PreviewedUser {
  @ApiProperty()
  user_id!: string;
  @ApiProperty()
  user_name!: string;
  @ApiProperty({ isArray: true, enum: PREVIEW_KINDS })
  would!: string[];
  @ApiProperty({ type: [String], description: 'Fields of the user that would change.' })
  fields!: string[];
  @ApiProperty()
  take_seat!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the user would be held; null: the user would not be held.',
  })
  held!: string | null;
  @ApiProperty({
    type: EffectStepsBody,
    nullable: true,
    description: 'The user now and after going live. Null: an older version of the service made the plan.',
  })
  steps!: EffectStepsBody | null;
}

export class PreviewBody {
  @ApiProperty()
  directory_id!: string;
  @ApiProperty({ enum: ['live', 'preview'] })
  state!: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When the plan was begun: it may lack what was written later. Null: the directory is live, or has no plan yet.',
  })
  made_at!: string | null;
  @ApiProperty({ description: 'The directory has changed since, or has no plan yet.' })
  stale!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The task that makes a newer plan; null: there is none.',
  })
  task_id!: string | null;
  @ApiProperty({
    type: PreviewCounts,
    nullable: true,
    description: 'Numbers over all users; null: there is no plan yet.',
  })
  counts!: PreviewCounts | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Seats that are free; null: there is no limit.' })
  seats_free!: number | null;
  @ApiProperty({ type: [PreviewedUser] })
  data!: PreviewedUser[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
}

export const PLAN_COLUMNS = [
  'user_id',
  'user_name',
  'would',
  'fields',
  'take_seat',
  'held',
  'role_from',
  'role_to',
  'status_from',
  'status_to',
  'seat_from',
  'seat_to',
  'console_from',
  'console_to',
  'made_at',
] as const;

export function previewedUser(row: PlannedRow): PreviewedUser {
  const { user_id, user_name, fields, take_seat, held, steps } = row;
  return { user_id, user_name, would: kindsOf(row), fields, take_seat, held, steps };
}

export function planCells(row: PlannedRow): unknown[] {
  const { user_id, user_name, would, fields, take_seat, held, steps } = previewedUser(row);
  const sides = (['role', 'status', 'seat', 'console'] as const).flatMap((name) => [
    steps?.[name].from,
    steps?.[name].to,
  ]);
  return [user_id, user_name, would.join(' '), fields.join(' '), String(take_seat), held, ...sides, row.made_at];
}

const EXPORTED = 1_000;

@ApiController('directories/:directory_id/preview', { tag: 'directories' })
@RequireScope('admin')
export class PreviewController {
  constructor(
    private readonly plans: PreviewPlans,
    private readonly repository: PreviewPlansRepository,
    private readonly guard: GuardService,
  ) {}

  @Get()
  @RequireEveryScope('users:read', 'directories:read')
  @ApiRefusals({ 409: ['plan_not_made'] })
  @ApiOperation({
    summary: 'The effects of going live: counts over all users, and a list by page',
    description:
      'Read from the stored plan. Where there is none, or it is stale, a directory that has written to at most 1 000 ' +
      'users gets a new one within this request; a larger one is made by `POST …/preview/plan`. `format=csv` or ' +
      '`format=ndjson` exports the list: 409 `plan_not_made` until there is a plan.',
  })
  @ApiFilter('kind', 'Only users whom going live would change in this way.', { enum: PREVIEW_KINDS })
  @ApiFilter('administrators', '`true`: only administrators who would lose the console.', { enum: ['true', 'false'] })
  @ApiPaging()
  @ApiExportedPage(PreviewBody)
  async show(
    @CurrentCaller() { tenantId }: Caller,
    @Param('directory_id') id: string,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, ['kind', 'administrators', 'format', ...PAGE_OPTIONS]);
    const kind = queryChoice('kind', options.kind, PREVIEW_KINDS);
    const administrators = queryChoice('administrators', options.administrators, ['true', 'false']) === 'true';
    const which = { kind, administrators };
    const format = exportFormat(options.format, req.headers.accept);
    const page = readPage(query, `preview ${id} ${kind ?? ''} ${administrators}`);
    const plan = await this.plans.current(tenantId, id);
    if (format === 'json') {
      const rows = await this.repository.users(tenantId, id, which, { after: page.after, limit: page.limit + 1 });
      const list = pageOf(page, rows, (row) => row.user_id, previewedUser);
      res.json({ ...(await this.head(tenantId, plan)), ...list } satisfies PreviewBody);
      return;
    }
    if (plan.totals === null) {
      const task = plan.taskId === null ? 'POST …/preview/plan makes it.' : `The task ${plan.taskId} is making it.`;
      throw new Conflict('plan_not_made', `The directory has no plan yet. ${task}`);
    }
    await sendExport(res, format, 'preview', this.export(tenantId, id, which, format));
  }

  @Post('plan')
  @HttpCode(202)
  @ApiRefusals({ 409: ['not_in_preview'] })
  @ApiOperation({
    summary: 'Makes the plan of a directory in preview anew, in a task',
    description: 'Answers the task that does so already, if there is one. The former plan is shown until then.',
  })
  @ApiAcceptedResponse({ type: TaskBody })
  async make(@CurrentCaller() caller: Caller, @Param('directory_id') id: string): Promise<TaskBody> {
    return newTaskBody(await this.plans.begin(caller, id));
  }

  private async head(
    tenantId: string,
    { directory, totals, madeAt, stale, taskId }: CurrentPlan,
  ): Promise<Omit<PreviewBody, 'data' | 'next_cursor'>> {
    const about = { directory_id: directory.id, state: directory.state, made_at: madeAt?.toISOString() ?? null };
    const newer = { stale, task_id: taskId };
    if (totals === null) return { ...about, ...newer, counts: null, seats_free: null };
    const seats = await this.plans.seatsOf(tenantId, totals);
    const room = await this.guard.room(tenantId, directory.id, directory.guard);
    const counts = {
      ...totals.kinds,
      take_seat: seats.needed,
      find_none: seats.missing,
      held_by_guard: room === null ? 0 : Math.max(0, totals.leave - room),
      administrators: totals.administrators ?? 0,
    };
    return { ...about, ...newer, counts, seats_free: seats.free };
  }

  private async *export(
    tenantId: string,
    id: string,
    which: PlannedFilter,
    format: 'csv' | 'ndjson',
  ): AsyncGenerator<string> {
    if (format === 'csv') yield csvLine(PLAN_COLUMNS);
    let after: string | null = null;
    do {
      const rows = await this.repository.users(tenantId, id, which, { after, limit: EXPORTED });
      yield rows
        .map((row) =>
          format === 'csv'
            ? csvLine(planCells(row))
            : `${JSON.stringify({ ...previewedUser(row), made_at: row.made_at })}\n`,
        )
        .join('');
      after = rows.length < EXPORTED ? null : rows.at(-1)!.user_id;
    } while (after !== null);
  }
}
