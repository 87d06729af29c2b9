import { Get } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { Database } from '../../base/database/database.js';
import { ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { longestWaiting } from '../../engine/delivery/lanes/read.js';
import { WorkEntries } from '../../engine/work/work-entries.repository.js';
import { OperatorController } from '../../tenancy/tenants/api-key.guard.js';
import { InstallationBody, ProcessesRepository } from './installation.js';

const MOST_PROCESSES = 100;
const MOST_TENANTS = 20;
const MOST_WORK = 100;

@OperatorController('installation')
@ApiRefusals()
export class InstallationController {
  constructor(
    private readonly db: Database,
    private readonly processes: ProcessesRepository,
    private readonly entries: WorkEntries,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Processes with role and version, migrations, background work, and the tenants whose changes wait longest',
  })
  @ApiRecord(InstallationBody)
  async show(): Promise<InstallationBody> {
    const [processes, migrations, lag, work] = await Promise.all([
      this.processes.list(MOST_PROCESSES),
      this.processes.migrations(),
      longestWaiting(this.db, 'platform', MOST_TENANTS),
      this.entries.list(MOST_WORK),
    ]);
    const names = await this.processes.namesOf(lag.map(({ tenant_id }) => tenant_id));
    return {
      processes: processes.map(({ seen_at: last_seen_at, ...process }) => ({ ...process, last_seen_at })),
      migrations,
      work,
      lag: lag.map(({ tenant_id, waiting, oldest }) => {
        return { tenant_id, name: names.get(tenant_id) ?? null, waiting, oldest_waiting_since: oldest };
      }),
    };
  }
}
