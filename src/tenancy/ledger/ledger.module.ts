import { Global, Module } from '@nestjs/common';
import { ChainKeys } from './chain-keys.js';
import { ChainVerifier } from './chain-verifier.js';
import { Chains, ChainSealer } from './chain.js';
import { DayCloser, DayClosing } from './day-closing.js';
import { HeadsRepository } from './heads.repository.js';

const LEDGER = [Chains, ChainSealer, HeadsRepository, ChainKeys, ChainVerifier, DayClosing, DayCloser];

/** Append-only chains: sealing, verifying, closing days. Seats and audit log are two of them. */
@Global()
@Module({ providers: LEDGER, exports: LEDGER })
export class LedgerModule {}
