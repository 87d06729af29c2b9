import { useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useRead } from '../../api/queries.js';
import { Answer } from '../../parts/answer.js';
import { isGone } from '../../parts/gone.js';
import { Id } from '../../parts/copy-button.js';
import { Page } from '../../parts/page.js';
import { Tabs } from '../../parts/tabs.js';
import { text } from '../../text/text.js';
import { DeletedDirectory } from './deleted-directory.js';
import { AttributesTab } from './attributes-tab.js';
import { ConnectTab } from './connect-tab.js';
import { GroupsTab } from './groups-tab.js';
import { GuardTab } from './guard-tab.js';
import { OverviewTab } from './overview-tab.js';
import { PreviewTab } from './preview-tab.js';
import { RequestsTab } from './requests-tab.js';
import { RolesTab } from './roles-tab.js';
import { SettingsTab } from './settings-tab.js';
import type { DirectoryDetail, TabProps } from './tab.js';

const words = text.directories;
const TABS: Readonly<Record<string, ComponentType<TabProps>>> = {
  connect: ConnectTab,
  groups: GroupsTab,
  attributes: AttributesTab,
  roles: RolesTab,
  preview: PreviewTab,
  guard: GuardTab,
  requests: RequestsTab,
  settings: SettingsTab,
};

/** One directory, in parts. */
export function DirectoryPage() {
  const { id, tab } = useParams({ from: '/directories/$id/{-$tab}' });
  const directory = useRead<DirectoryDetail>(`/directories/${id}`, {}, 10_000);
  const Tab = (tab === undefined ? undefined : TABS[tab]) ?? OverviewTab;
  const at = (part?: string) => ({
    to: `/directories/${id}${part === undefined ? '' : `/${part}`}`,
    label: part === undefined ? words.tabs.overview : words.tabs[part as keyof typeof words.tabs],
  });
  return (
    <Page title={directory.data?.name ?? id} lead={<Id value={id} />}>
      {isGone(directory.error) ? (
        <DeletedDirectory id={id} />
      ) : (
        <>
          <Tabs label={words.tabs.label} tabs={[at(), ...Object.keys(TABS).map(at)]} />
          <Answer query={directory} height={320}>
            {(found) => <Tab directory={found} />}
          </Answer>
        </>
      )}
    </Page>
  );
}
