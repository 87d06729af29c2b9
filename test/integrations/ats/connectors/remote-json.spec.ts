import { splitName } from '../../../../src/integrations/ats/connectors/remote-json.js';

describe('full names', () => {
  it.each<[string, string, string]>([
    ['Tomas Lindqvist', 'Tomas', 'Lindqvist'],
    ['Teller', 'Teller', ''],
    ['  Ana \u00a0 María   López ', 'Ana María', 'López'],
    ['Ludwig van Beethoven', 'Ludwig', 'van Beethoven'],
    ['Vincent Van Der Berg', 'Vincent', 'Van Der Berg'],
    ['Juan De La Cruz', 'Juan', 'De La Cruz'],
    ['Ana de la Cruz', 'Ana', 'de la Cruz'],
    ['Maria da Silva', 'Maria', 'da Silva'],
    ['Van Morrison', 'Van', 'Morrison'],
    ['De La Cruz', 'De', 'La Cruz'],
    ['Kim La Nguyen', 'Kim La', 'Nguyen'],
    ['Osama bin Laden', 'Osama', 'bin Laden'],
    ['李小龍', '李小龍', ''],
    ['Jose\u0301 Gil', 'José', 'Gil'],
    ['Mary-Jane O’Neill', 'Mary-Jane', 'O’Neill'],
    ['Dr. María-José de la Cruz y Peña', 'Dr. María-José', 'de la Cruz y Peña'],
    ['José Ortega y Gasset', 'José', 'Ortega y Gasset'],
    ['Luís da Costa e Silva', 'Luís', 'da Costa e Silva'],
    ['Antoni Puig i Cadafalch', 'Antoni', 'Puig i Cadafalch'],
    ['Maria de los Ángeles', 'Maria', 'de los Ángeles'],
    ['Santiago Ramón y Cajal', 'Santiago', 'Ramón y Cajal'],
    ['Wei Y Chen', 'Wei Y', 'Chen'],
    ['Y Nguyen', 'Y', 'Nguyen'],
    ['', '', ''],
    ['   ', '', ''],
  ])('splits %j', (full, firstName, lastName) => {
    expect(splitName(full)).toEqual({ firstName, lastName });
  });
});
