import type {
  NewSchedule,
  ScheduleEdit,
  ScheduleWhat,
  ScheduleWhenInput,
} from "@metahuman/core/contract/schedule";
import { path, type HttpClient, type ListQuery, lazySchemas } from "../../lib/api/http-client.ts";

const answers = lazySchemas(() => import("@metahuman/core/contract/answers"));
const schedule = lazySchemas(() => import("@metahuman/core/contract/schedule"));

/** Schedules and their occurrences. Throws as `HttpClient` does. */
export class SchedulesApi {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  list(query: ListQuery) {
    return this.#http.request(schedule("SchedulePage"), "GET", "/api/schedules", { query: { ...query } });
  }

  create(body: NewSchedule) {
    return this.#http.request(schedule("ScheduleAnswer"), "POST", "/api/schedules", { body });
  }

  get(id: string) {
    return this.#http.request(schedule("ScheduleAnswer"), "GET", path`/api/schedules/${id}`);
  }

  edit(id: string, body: ScheduleEdit) {
    return this.#http.request(schedule("ScheduleAnswer"), "PUT", path`/api/schedules/${id}`, { body });
  }

  pause(id: string) {
    return this.#http.request(schedule("ScheduleAnswer"), "POST", path`/api/schedules/${id}/pause`, {
      body: {},
    });
  }

  resume(id: string) {
    return this.#http.request(schedule("ScheduleAnswer"), "POST", path`/api/schedules/${id}/resume`, {
      body: {},
    });
  }

  run(id: string) {
    return this.#http.request(schedule("OccurrenceAnswer"), "POST", path`/api/schedules/${id}/run`, {
      body: {},
    });
  }

  remove(id: string) {
    return this.#http.request(answers("ArchivedAnswer"), "DELETE", path`/api/schedules/${id}`);
  }

  occurrences(id: string, query: ListQuery) {
    return this.#http.request(schedule("OccurrencePage"), "GET", path`/api/schedules/${id}/occurrences`, {
      query: { ...query },
    });
  }

  preview(when: ScheduleWhenInput, timeZone: string, what?: ScheduleWhat) {
    return this.#http.request(schedule("SchedulePreview"), "POST", "/api/schedules/preview", {
      body: { when, timeZone, ...(what && { what }) },
    });
  }

  /** From one time to another. */
  calendar(query: { from: string; to: string }) {
    return this.#http.request(schedule("ScheduleCalendar"), "GET", "/api/schedules/calendar", { query });
  }
}
