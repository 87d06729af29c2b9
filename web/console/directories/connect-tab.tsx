import { Id } from '../../parts/copy-button.js';
import { text } from '../../text/text.js';
import { Credentials } from './credentials.js';
import { Networks } from './networks.js';
import type { TabProps } from './tab.js';

const words = text.directories.connect;

/** What the IdP needs: the address and a credential; and the networks that it sends from. */
export function ConnectTab({ directory }: TabProps) {
  return (
    <>
      <dl className="facts">
        <dt>{words.address}</dt>
        <dd>
          <Id value={directory.scim_base_url} />
          <p className="help">{words.addressHelp}</p>
        </dd>
      </dl>
      <p>
        <a href="/docs/connect">{words.guides}</a>
      </p>
      <Credentials directoryId={directory.id} />
      <Networks directory={directory} />
    </>
  );
}
