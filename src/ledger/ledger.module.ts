import { Global, Module } from '@nestjs/common';
import { ChainHeads } from './chain-heads.js';
import { ChainKeys } from './chain-keys.js';
import { ChainSources } from './chain-source.js';
import { ChainVerifier } from './chain-verifier.js';
import { DayCloser } from './day-closer.js';
import { DayClosing } from './day-closing.js';
import { HeadsRepository } from './heads.repository.js';
import { PublishedHeads } from './published-heads.js';

const LEDGER = [
  ChainSources,
  HeadsRepository,
  ChainKeys,
  ChainHeads,
  ChainVerifier,
  DayClosing,
  DayCloser,
  PublishedHeads,
];

/** Append-only chains: sealing, verifying, closing days. Seats and audit log are two of them. */
@Global()
@Module({ providers: LEDGER, exports: LEDGER })
export class LedgerModule {}
