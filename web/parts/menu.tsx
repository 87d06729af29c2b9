import { Menu as Panel, MenuButton, MenuItem, MenuProvider } from '@ariakit/react';

/** A menu of acts at the end of a row or of a heading. */
export function Menu({ label, items }: { label: string; items: readonly { label: string; act: () => void }[] }) {
  return (
    <MenuProvider>
      <MenuButton className="plain">{label}</MenuButton>
      <Panel className="menu" gutter={4}>
        {items.map((item) => (
          <MenuItem key={item.label} className="menu-item" onClick={item.act}>
            {item.label}
          </MenuItem>
        ))}
      </Panel>
    </MenuProvider>
  );
}
