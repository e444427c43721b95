import type { AnyModel, Descriptor } from '../../service/describe/define.js';
import type { Collection } from '../store/collection.js';
import type { CollectionItem } from '../store/selection.js';
import type { Memory } from './memory.js';

/** A value that a function computes. `as` describes it if it needs a format: a time or an id. */
interface ComputedFact<T> {
  readonly label: string;
  /** Field that the value is about. */
  readonly field?: keyof T & string;
  readonly of: (record: T, memory: Memory) => unknown;
  readonly as?: Descriptor;
}

/** A field of a record, with a label if its name does not give one, or a computed value. */
export type Fact<T> = (keyof T & string) | readonly [field: keyof T & string, label: string] | ComputedFact<T>;

/** A control that a row of a list offers as a button. Its path parameter is the id of the record. */
interface RowAction<T> {
  /** Name of the control, such as `faults.remove`. */
  readonly control: string;
  /** Label of the button. */
  readonly label: string;
  /** Whether a record has the button. */
  readonly when?: (record: T, memory: Memory) => boolean;
}

/** How the console shows the objects of one kind. The model describes the format of their fields. */
export interface Facts<T extends CollectionItem> {
  /** Noun for objects that other records refer to: the field `userId` holds the id of a `user`. */
  readonly noun?: string;
  /** Field with the name of an object, for links. */
  readonly title?: keyof T & string;
  readonly model: AnyModel;
  readonly all: (memory: Memory) => Collection<T> | readonly T[];
  /** Columns of a list. */
  readonly columns: readonly Fact<T>[];
  /** Text of an empty list. */
  readonly empty: string;
  readonly actions?: readonly RowAction<T>[];
  /** Facts on the page of an object. Kinds without them have no such page. */
  readonly facts?: readonly Fact<T>[];
}
