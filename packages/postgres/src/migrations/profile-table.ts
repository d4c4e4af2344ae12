/**
 * The statements that create a table of which each profile sees its own rows only. `columns` are those after `profile`.
 * Texts are compared by code point, as in the embedded stores. Used by published migrations: must not change.
 */
export function profileTable(name: string, columns: string): string {
  return `
    CREATE TABLE ${name} (
      profile text COLLATE "C" NOT NULL DEFAULT current_setting('metahuman.profile'),
      ${columns}
    );
    ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own_profile ON ${name} TO metahuman_profile
      USING (profile = current_setting('metahuman.profile', true))
      WITH CHECK (profile = current_setting('metahuman.profile', true));
    GRANT SELECT, INSERT, UPDATE, DELETE ON ${name} TO metahuman_profile;
  `;
}
