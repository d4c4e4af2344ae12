// Where surfaces log: their one door to core/log.
export { createLogger, logLevel } from "@metahuman/core/log/logger";
export type { Logger } from "@metahuman/core/log/logger";
