-- CloudDQ's dq_summary as a view of the table of results: its columns in its order, then ours.
-- The text is the same for Athena, Spark and DuckDB; `results` is the table, and times are in UTC.
create or replace view dq_summary as
select
  cast(replace(replace(begun_at, 'T', ' '), 'Z', '') as timestamp) as execution_ts,
  coalesce(contract || '.' || property, contract) as rule_binding_id,
  check_id as rule_id,
  dimension,
  contract as table_id,
  property as column_id,
  cast(replace(replace(coalesce(uploaded_at, received_at), 'T', ' '), 'Z', '') as timestamp) as last_modified,
  metadata as metadata_json_string,
  substr(plan, 8) as configs_hashsum,
  nullif(contract, contract) as dataplex_lake,
  nullif(contract, contract) as dataplex_zone,
  nullif(contract, contract) as dataplex_asset_id,
  drop_id || '.' || cast(attempt as varchar(20)) || '.' || check_id as dq_run_id,
  batch || '.' || cast(run as varchar(20)) as invocation_id,
  not trial as progress_watermark,
  coalesce(evaluated, case when errors = 0 then 0 end) as rows_validated,
  cast(errors as double) as complex_rule_validation_errors_count,
  errors = 0 as complex_rule_validation_success_flag,
  case when errors is null then success end as success_count,
  case when errors is null then 100e0 * success / nullif(evaluated, 0) end as success_percentage,
  case when errors is null then failed end as failed_count,
  case when errors is null then 100e0 * failed / nullif(evaluated, 0) end as failed_percentage,
  case when errors is null then nulls end as null_count,
  case when errors is null then 100e0 * nulls / nullif(evaluated, 0) end as null_percentage,
  failing_rows as failed_records_query,
  month,
  drop_id,
  attempt,
  batch,
  run,
  severity,
  result,
  reason
from results
where check_id is not null
