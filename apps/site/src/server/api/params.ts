import { z } from "zod";
import { AgentName } from "@metahuman/core/contract/agents";
import { NoticeId } from "@metahuman/core/contract/notice";
import { TaughtWording } from "@metahuman/core/contract/function";
import { ScheduleId } from "@metahuman/core/contract/schedule";
import {
  ApprovalId,
  ConversationId,
  FunctionId,
  GrantId,
  MemoryId,
  RunId,
  TaskId,
  Username,
} from "@metahuman/core/contract/ids";

export const AccountParams = z.object({ username: Username });
export const RunParams = z.object({ id: RunId });
/** The id of a waiting call or of a function. */
export const ApprovalParams = z.object({ id: z.union([ApprovalId, FunctionId]) });
export const GrantParams = z.object({ id: GrantId });
export const ConversationParams = z.object({ id: ConversationId });
export const MemoryParams = z.object({ id: MemoryId });
export const TaskParams = z.object({ id: TaskId });
/** The id of an archive entry; its format is internal to the archive. */
export const ArchiveParams = z.object({ id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}$/) });
export const FunctionParams = z.object({ id: FunctionId });
export const FunctionWordingParams = z.object({ id: FunctionId, template: TaughtWording.shape.id });
export const ScheduleParams = z.object({ id: ScheduleId });
export const NoticeParams = z.object({ id: NoticeId });
export const AgentParams = z.object({ name: AgentName });
