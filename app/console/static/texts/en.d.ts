declare const texts: Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>;
export default texts;
