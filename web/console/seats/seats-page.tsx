import { useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Page } from '../../parts/page.js';
import { Tabs } from '../../parts/tabs.js';
import { text } from '../../text/text.js';
import { HoldersTab } from './holders-tab.js';
import { LedgerTab } from './ledger-tab.js';
import { LimitTab } from './limit-tab.js';
import { UsageTab } from './usage-tab.js';

const words = text.seats;
const TABS: Readonly<Record<string, ComponentType>> = { holders: HoldersTab, ledger: LedgerTab, limit: LimitTab };

/** Seats: usage over time, holders at any moment, the ledger, and the limit. */
export function SeatsPage() {
  const { tab } = useParams({ from: '/seats/{-$tab}' });
  const Tab = (tab === undefined ? undefined : TABS[tab]) ?? UsageTab;
  return (
    <Page title={words.title} lead={words.lead}>
      <Tabs
        label={words.tabs.label}
        tabs={[
          { to: '/seats', label: words.tabs.overview },
          { to: '/seats/holders', label: words.tabs.holders },
          { to: '/seats/ledger', label: words.tabs.ledger },
          { to: '/seats/limit', label: words.tabs.limit },
        ]}
      />
      <Tab />
    </Page>
  );
}
