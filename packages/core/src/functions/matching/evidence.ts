/** The features of a match and their values, by name. */
export type Features = Record<string, number>;

/** The weight of each feature, in units of log-odds. */
export type Weights = Readonly<Record<string, number>>;

/** The evidence for or against a value: names with amounts. The same name may be added several times. */
export class Evidence {
  /** Evidence of several values, which is complete: their first words are the same. */
  readonly #shared: Evidence | undefined;
  readonly #names: string[] = [];
  readonly #amounts: number[] = [];
  #features: Features | undefined;
  #scored: { weights: Weights; sum: number } | undefined;

  constructor(shared?: Evidence) {
    this.#shared = shared;
  }

  static of(features: Features): Evidence {
    const evidence = new Evidence();
    for (const [name, amount] of Object.entries(features)) evidence.add(name, amount);
    return evidence;
  }

  add(name: string, amount = 1): void {
    this.#names.push(name);
    this.#amounts.push(amount);
    this.#features = undefined;
    this.#scored = undefined;
  }

  /**
   * The sums of the amounts by name; built when first read, because few of the possible positions of a value are
   * compared.
   */
  get features(): Features {
    if (this.#features !== undefined) return this.#features;
    const features: Features = { ...this.#shared?.features };
    for (const [index, name] of this.#names.entries())
      features[name] = (features[name] ?? 0) + (this.#amounts[index] ?? 0);
    this.#features = features;
    return features;
  }

  /** The weighted sum, in log-odds. */
  scoreBy(weights: Weights): number {
    if (this.#scored?.weights === weights) return this.#scored.sum;
    let sum = this.#shared?.scoreBy(weights) ?? 0;
    for (let index = 0; index < this.#names.length; index += 1)
      sum += (weights[this.#names[index] ?? ""] ?? 0) * (this.#amounts[index] ?? 0);
    this.#scored = { weights, sum };
    return sum;
  }
}
