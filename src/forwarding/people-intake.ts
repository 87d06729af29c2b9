import { Injectable } from '@nestjs/common';
import type { Person, ChangeSource } from '../tenancy/identity/person.js';
import type { AccountRefusal } from '../tenancy/identity/user-change.rules.js';

/** Why an account of the platform is left out of an import. */
export type AccountLeftOutReason =
  AccountRefusal | 'email_of_another_user' | 'user_has_another_account' | 'nameless' | 'unreadable' | 'contended';

/** What became of an account that the platform has. */
export type Intake =
  | { kind: 'created' | 'known'; userId: string }
  /** The account is left out; `detail` is a sentence for the report. */
  | { kind: 'left_out'; reason: AccountLeftOutReason; detail: string };

/** Takes accounts of the platform in as users. The room that keeps the users implements it. */
export interface PeopleIntake {
  /**
   * Takes an account in as an unmanaged user, or finds its user: by `external_id`, else by e-mail as the adoption rule
   * says. Nothing is forwarded.
   */
  importUnmanaged(
    tenantId: string,
    person: Person,
    status: 'active' | 'inactive',
    platformId: string,
    source: ChangeSource,
  ): Promise<Intake>;
}

/** The port that the room of the users, which stands above this one, is connected to. */
@Injectable()
export class PeopleIntakePort {
  private intake: PeopleIntake | null = null;

  /** Connects the room that keeps the users, when its module is made. */
  connect(intake: PeopleIntake): void {
    this.intake = intake;
  }

  /** Returns the connected room, or null in a process without one. */
  get connected(): PeopleIntake | null {
    return this.intake;
  }
}
