{{ config(materialized='table') }}

with payments as (
    select order_id, sum(amount) as amount
    from {{ ref('stg_payments') }}
    group by order_id
)

select orders.*, coalesce(payments.amount, 0) as amount
from {{ ref('stg_orders') }} as orders
left join payments using (order_id)
