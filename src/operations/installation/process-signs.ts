import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import { Logger, processFields } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import { ProcessesRepository } from './processes.repository.js';

/** How often a process shows that it is there. */
const EVERY_MS = 30_000;

/** Shows the operator that this process is there, in which role and version. */
@Injectable()
export class ProcessSigns extends Background {
  override readonly isEverywhere = true;
  private readonly id = randomUUID();

  constructor(
    private readonly processes: ProcessesRepository,
    private readonly config: Config,
    logger: Logger,
  ) {
    super(EVERY_MS, 'noting the process', logger);
  }

  override async run(): Promise<void> {
    const { role, version, process: name } = processFields(this.config);
    await this.processes.see(this.id, { name, role, version });
  }

  /** Stops, and removes the process from the list. */
  override async stop(): Promise<void> {
    await super.stop();
    await this.processes.remove(this.id).catch(() => undefined); // The database is away: the row ends after a day.
  }
}
