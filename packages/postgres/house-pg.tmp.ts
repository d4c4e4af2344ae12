import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { openPGlite } from "./src/testing/pglite.ts";
import { openPostgres } from "./src/open-postgres.ts";
const cpu=()=>{const u=process.cpuUsage();return (u.user+u.system)/1e6};
async function t<T>(what:string,f:()=>Promise<T>):Promise<T>{const c=cpu(),w=performance.now();const r=await f();console.log(what.padEnd(40),"cpu",(cpu()-c).toFixed(2),"wall",((performance.now()-w)/1e3).toFixed(2));return r;}
const sleep=(ms:number)=>new Promise(r=>setTimeout(r,ms));
const a=await t("create+initdb",()=>PGlite.create());
const dump=await t("dump",()=>a.dumpDataDir("none"));
console.log("dump MB",(dump as Blob).size/1e6);
await t("close",()=>a.close());
await t("settle",()=>sleep(1500));
for(let i=0;i<3;i++){const b=await t("create from dump",()=>PGlite.create({loadDataDir:dump}));await t("first query",()=>b.query("select 1"));await t("close",()=>b.close());await t("settle",()=>sleep(500));}
const v=await t("create from dump + vector ext",()=>PGlite.create({loadDataDir:dump,extensions:{vector}}));
await t("create extension",()=>v.exec("CREATE EXTENSION vector"));await v.close();
await t("settle",()=>sleep(500));
const d=await t("openPGlite (first in module)",()=>openPGlite());
const p=await t("openPostgres migrations",()=>openPostgres(d));
await t("settle",()=>sleep(500));
await p.close();
const d2=await t("openPGlite",()=>openPGlite());
const p2=await t("openPostgres migrations",()=>openPostgres(d2));
await t("openPostgres again",()=>openPostgres(d2));
const d3=await t("openPGlite vector",()=>openPGlite({vectors:"created"}));
const p3=await t("openPostgres migrations vector",()=>openPostgres(d3));
process.exit(0);
