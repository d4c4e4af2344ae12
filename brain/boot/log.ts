// Where surfaces log: their one door to core/log.
export { createLogger, logLevel, logLevelProblem } from "@metahuman/core/log/logger";
export type { Logger } from "@metahuman/core/log/logger";
