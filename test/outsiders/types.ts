import ts from 'typescript';
import { hostOf } from '../builds/compiler.js';

/** A member in the file: the name of an interface and its member, such as `session.refresh` or `sso.getProfile` of `workos`. */
type Place = readonly [name: string, path: string];

/** The methods of two packages and their options, from their types. */
export interface Types {
  /** All public methods of an interface by part: `sso.getProfile`, and `workos.get` of the client itself. */
  methodsOf(name: string): string[];
  has(...place: Place): boolean;
  /** The options of a method: the fields of the objects that it takes, and the names of its parameters. */
  namesOf(...place: Place): string[];
  /** The fields that the first method takes in objects, without the options of the second one. */
  lacking(theirs: Place, ours: Place): string[];
}

const isPublic = ({ declarations = [] }: ts.Symbol): boolean =>
  !declarations.some((one) => ts.getCombinedModifierFlags(one) & ts.ModifierFlags.NonPublicAccessibilityModifier);

/** Reads the interfaces that a file exports. Members that are not in an interface are looked up in its client, `workos`. */
export function typesOf(file: string, options: ts.CompilerOptions): Types {
  const program = ts.createProgram([file], options, hostOf(options));
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file)!;
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!);
  const interfaceOf = (name: string): ts.Type =>
    checker.getDeclaredTypeOfSymbol(exported.find((one) => one.name === name)!);
  const typeIn = (symbol: ts.Symbol): ts.Type => checker.getTypeOfSymbolAtLocation(symbol, source);
  const memberOf = (type: ts.Type | undefined, name: string): ts.Type | undefined => {
    const symbol = type && checker.getPropertyOfType(type, name);
    return symbol && typeIn(symbol);
  };
  const membersOf = (type: ts.Type): { readonly name: string; readonly type: ts.Type }[] =>
    checker
      .getPropertiesOfType(type)
      .filter(isPublic)
      .map((one) => ({ name: one.name, type: typeIn(one) }));
  const methodsIn = (name: string, type: ts.Type): string[] =>
    membersOf(type)
      .filter((member) => member.type.getCallSignatures().length > 0)
      .map((member) => `${name}.${member.name}`);

  const find = (name: string, path: string): ts.Type | undefined => {
    const whole = interfaceOf(name);
    const [first = '', second] = path.split('.');
    const found = memberOf(whole, first) ?? memberOf(memberOf(whole, 'workos'), first);
    return second === undefined ? found : memberOf(found, second);
  };
  const parametersOf = (place: Place): ts.Symbol[] =>
    (find(...place)?.getCallSignatures() ?? []).flatMap(({ parameters }) => [...parameters]);
  const variantsOf = (type: ts.Type): ts.Type[] => (type.isUnion() ? type.types.flatMap(variantsOf) : [type]);
  const isBuiltIn = (type: ts.Type): boolean =>
    (type.getSymbol()?.declarations ?? []).some(
      (one) => ts.isInterfaceDeclaration(one) && program.isSourceFileDefaultLibrary(one.getSourceFile()),
    );
  /** The fields of an options object, but not of a record, a function, a class or a built-in object. */
  const fieldsOf = (type: ts.Type): string[] =>
    variantsOf(checker.getNonNullableType(type))
      .filter((one) => one.isIntersection() || one.flags & ts.TypeFlags.Object)
      .filter((one) => !one.isClass() && !isBuiltIn(one) && one.getCallSignatures().length === 0)
      .filter((one) => checker.getIndexInfosOfType(one).length === 0)
      .flatMap((one) => membersOf(one).map(({ name }) => name));
  const fieldsAt = (place: Place): string[] => [
    ...new Set(parametersOf(place).flatMap((parameter) => fieldsOf(typeIn(parameter)))),
  ];

  const types: Types = {
    methodsOf(name) {
      const receivers = membersOf(interfaceOf(name));
      const parts = receivers
        .flatMap(({ type }) => membersOf(type))
        // Other fields contain text and options, and `client` sends the requests of the parts.
        .filter((member) => member.type.isClass() && member.name !== 'client');
      return [...receivers, ...parts].flatMap((one) => methodsIn(one.name, one.type)).sort();
    },
    has: (...place) => (find(...place)?.getCallSignatures().length ?? 0) > 0,
    namesOf: (...place) => [...fieldsAt(place), ...parametersOf(place).map(({ name }) => name)],
    lacking: (theirs, ours) => fieldsAt(theirs).filter((name) => !types.namesOf(...ours).includes(name)),
  };
  return types;
}
