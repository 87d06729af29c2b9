import { Injectable } from '@nestjs/common';
import { TaskHandlers, type Batch, type Task } from '../engine/work/task.js';
import { SeatAccounts } from './ledger/seat-accounts.js';
import { Reconciliation } from './reconciliation.js';

/** The place of a correction; empty at its beginning. */
interface CorrectionPayload {
  /** The user after whom the task continues. */
  after?: string;
  /** The last line that is looked at. */
  through?: number;
}

/** Lines that one batch looks at. */
const LINES = 20_000;
/** Users that one batch corrects. */
const USERS = 100;

/**
 * The task `seats.correct`, which the upgrade makes once for each tenant: it corrects the accounts of users whose lines
 * earlier versions have sealed in the order of text.
 */
@Injectable()
export class LedgerCorrection {
  constructor(
    private readonly accounts: SeatAccounts,
    private readonly reconciliation: Reconciliation,
    handlers: TaskHandlers,
  ) {
    handlers.add<CorrectionPayload>(['seats.correct'], { run: (task) => this.batch(task) });
  }

  private async batch({ tenantId, id, payload, createdBy, result }: Task<CorrectionPayload>): Promise<Batch> {
    const through = payload.through ?? (await this.reconciliation.end(tenantId));
    // Lines about limit and policy have no user: they are few, and looked at with the first batch.
    const suspects: (string | null)[] = payload.after === undefined ? [null] : [];
    let next: CorrectionPayload | null = null;
    let users = 0;
    let lines = 0;
    for await (const user of this.accounts.all(tenantId, payload.after ?? '', through)) {
      users++;
      lines += user.lines;
      if (user.account.pairs.length > 0) suspects.push(user.userId);
      if (lines < LINES && suspects.length < USERS) continue;
      next = { after: user.userId!, through };
      break;
    }
    const by = { tenantId, actor: createdBy, requestId: id, surface: 'system' as const };
    const corrected = await this.reconciliation.correct(by, suspects);
    return { done: users, next, result: { corrected: (result?.['corrected'] ?? 0) + corrected } };
  }
}
